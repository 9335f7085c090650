import {
  Interrupted,
  isJournal,
  OperatorError,
  visibleJson,
  visibleLines,
  withPriority,
} from '../base/index.js';
import { INTERRUPTED } from './signals.js';

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

export const printJson = (value: unknown): void => printJsonText(JSON.stringify(value, null, 2));

/** Prints JSON that is indented already, as `printJson` does. */
export const printJsonText = (json: string): void => {
  process.stdout.write(`${visibleJson(json)}\n`);
};

/** Runs a command. An OperatorError ends the process with status 1 and one line, any other error with a stack. */
export async function reportError(command: () => void | Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    fail(error);
  }
}

/** Prints the error, in systemd's journal as one, and ends the process with status 1; after an Interrupted, with status 130. */
export function fail(error: unknown): never {
  if (error instanceof Interrupted) {
    // Ctrl-C needs no reason.
    printError(error.signal === 'SIGINT' ? 'Stopped.' : `Stopped: ${error.message}`);
    process.exit(INTERRUPTED);
  }
  const { message, stack } = error as Error;
  const text = visibleLines(String(error instanceof OperatorError ? message : (stack ?? error)));
  process.stderr.write(`${isJournal(process.stderr.fd, process.env) ? withPriority('error', text) : text}\n`);
  process.exit(1);
}
