import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is read of a file in one turn, at least: 2 ms of usual lines. */
const TURN_BYTES = 256 * 1024;

/** Lets a thread that reads several files at one time read a part of each in turn, so that a short one is soon done. */
export class Turns {
  private bytes = 0;

  /** Call it when so many bytes were read, and await what it returns: null where the turn goes on. */
  after(bytes: number): Promise<void> | null {
    this.bytes += bytes;
    if (this.bytes < TURN_BYTES) return null;
    this.bytes = 0;
    return nextTurn();
  }
}
