import { nextTurn } from '../../base/index.js';

/** Bytes of a file read in one turn, at least: 2 ms for typical lines. */
const TURN_BYTES = 256 * 1024;

/** Lets a thread with several files read a part of each in turn, so that a short file is not delayed by a long one. */
export class FileTurns {
  private bytes = 0;

  /** Call it after reading `bytes` bytes, and await the promise. Null: the turn continues. */
  after(bytes: number): Promise<void> | null {
    this.bytes += bytes;
    if (this.bytes < TURN_BYTES) return null;
    this.bytes = 0;
    return nextTurn();
  }
}
