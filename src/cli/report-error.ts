import { OperatorError } from '../base/index.js';

/** Runs a command. An OperatorError ends the process with status 1 and one line, any other error with a stack. */
export async function reportError(command: () => void | Promise<void>): Promise<void> {
  // A reader such as `head` may close standard output early.
  process.stdout.on('error', () => process.exit());
  try {
    await command();
  } catch (error) {
    fail(error);
  }
}

/** Prints the error and ends the process with status 1. */
export function fail(error: unknown): never {
  const { message, stack } = error as Error;
  process.stderr.write(`${error instanceof OperatorError ? message : (stack ?? error)}\n`);
  process.exit(1);
}
