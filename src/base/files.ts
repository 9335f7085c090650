import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';

/**
 * Parses a JSON file. Throws Error. The message quotes at most one character of invalid JSON: the parser's own message
 * quotes the surrounding text, which may be a secret.
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

/** Flushes the names in a folder to the disk: a file created or renamed there survives a power failure. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
