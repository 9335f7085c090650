import { checkLines, type LineFault } from '../batch/index.js';

/**
 * Checks a batch file as the server will, but for what only it knows: its models, and what the workspace may use. Prints
 * what is wrong by file and line, as compilers do; false where something is.
 */
export async function validate(file: string, bytes: Buffer): Promise<boolean> {
  const refusal = await checkLines(bytes);
  if (refusal === null) return true;
  printLineErrors(file, refusal.lines);
  process.stderr.write(`${refusal.type}: ${refusal.message}\n`);
  return false;
}

/** `cases.jsonl:12: invalid_custom_id: …` */
export function printLineErrors(file: string, lines: readonly LineFault[]): void {
  for (const { line, type, error } of lines) process.stderr.write(`${file}:${line}: ${type}: ${error}\n`);
}
