import { visible } from './visible.js';

/**
 * A mistake of the operator, such as a wrong setting or argument. The command line prints its message without a stack. The
 * message may quote what others wrote: each line of it is one line wherever it is printed, without control characters.
 */
export class OperatorError extends Error {
  constructor(message: string | readonly string[], options?: ErrorOptions) {
    super([message].flat().map(visible).join('\n'), options);
  }
}
