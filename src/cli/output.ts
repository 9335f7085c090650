import { existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJournal, OperatorError, visibleJson, visibleLines, withPriority } from '../base/index.js';

/** Options of every command. */
export interface Options {
  readonly config?: string;
  readonly json?: boolean;
}

/** Prints lines of a result for people. What others wrote cannot control the terminal. */
export const print = (text: string): void => {
  process.stdout.write(`${visibleLines(text)}\n`);
};

/** Prints lines on standard error, as `print` does. */
export const printError = (text: string): void => {
  process.stderr.write(`${visibleLines(text)}\n`);
};

export const printJson = (value: unknown): void => {
  process.stdout.write(`${visibleJson(JSON.stringify(value, null, 2))}\n`);
};

/** Options that name the file of a report. */
const REPORTS = ['json', 'html', 'errors'] as const;
type Report = (typeof REPORTS)[number];

/** Throws OperatorError if a report could not be written: before a measurement, not after it. */
export function requireReportFolders(files: Readonly<Partial<Record<Report, string>>>): void {
  for (const option of REPORTS) {
    const file = files[option];
    if (file !== undefined && !existsSync(dirname(file)))
      throw new OperatorError(`${option}: the folder of ${file} does not exist.`);
  }
}

/** Writes the file of an option such as `--json`. Throws OperatorError. */
export function writeReport(option: Report | 'out', file: string, content: string | Uint8Array): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new OperatorError(`${option}: ${(error as Error).message}.`);
  }
}

/** Runs a command. An OperatorError ends the process with status 1 and one line, any other error with a stack. */
export async function reportError(command: () => void | Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    fail(error);
  }
}

/** Prints the error, in systemd's journal as one, and ends the process with status 1. */
export function fail(error: unknown): never {
  const { message, stack } = error as Error;
  const text = visibleLines(String(error instanceof OperatorError ? message : (stack ?? error)));
  process.stderr.write(`${isJournal(process.stderr.fd, process.env) ? withPriority('error', text) : text}\n`);
  process.exit(1);
}
