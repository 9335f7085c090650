// Entry of the thread that decrypts the stored values of batches.
import { type OpenCall, openValues } from './open-values.js';

/** Decrypts a piece of results, or a chunk of lines. */
export function open(call: OpenCall): unknown {
  return openValues(call);
}
