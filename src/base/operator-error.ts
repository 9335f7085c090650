import { visible } from './show.js';

/**
 * A mistake of the operator, such as a wrong setting or argument. The command line prints its message without a stack. The
 * message may quote what others wrote: each line of it is one line wherever it is printed, without control characters.
 */
export class OperatorError extends Error {
  constructor(message: string | readonly string[], options?: ErrorOptions) {
    super([message].flat().map(visible).join('\n'), options);
  }
}

/**
 * A signal that mostly means the whole command ended a child process of it: a terminal sends SIGINT to all processes in the
 * foreground, and systemd SIGTERM to all of a service. No OperatorError, which would blame what the child did.
 */
export class Interrupted extends Error {
  constructor(readonly signal: NodeJS.Signals = 'SIGINT') {
    super(`${signal} ended a process that this one had started for a check. Try again.`);
  }
}

/** The stored data cannot be used, or a value of them is damaged. The message names which, and what to do. */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';
}

/** The server cannot start as configured; the message names the setting to change. */
export class StartError extends OperatorError {
  override readonly name = 'StartError';
}
