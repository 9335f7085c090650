import { readFileSync } from 'node:fs';

/**
 * The value of a JSON file. Throws Error with what is wrong with it: of JSON that is not valid at most one character,
 * since the parser's own message shows what stands around, and that may be a key.
 */
export function readJsonFile(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    const [fault] = (error as Error).message.split(/, (?:\.\.\.)?"/);
    throw new Error(`not valid JSON: ${fault}`);
  }
}
