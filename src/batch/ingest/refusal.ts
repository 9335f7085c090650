import type { ErrorType } from '../../api/index.js';

/** A file that is not queued. It crosses threads as its three parts. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly type: ErrorType,
    message: string,
    /** Fields of the answer besides `error` and `type` (contract 2.9). */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}
