import { ApiError } from '../api/index.js';

/**
 * Bounds the bytes of all bodies held at one time. A body counts with its announced length from before it is read
 * until its request is answered.
 */
export class BodyMemory {
  #held = 0;

  constructor(readonly limitBytes: number) {}

  /** Takes `bytes`, or throws `overloaded`. The function returned gives them back; call it once. */
  take(bytes: number): () => void {
    if (this.#held + bytes > this.limitBytes) {
      throw new ApiError('overloaded', 'The server holds as many request bodies as it can.');
    }
    this.#held += bytes;
    return () => {
      this.#held -= bytes;
    };
  }
}
