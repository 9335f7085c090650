import { closeSync, openSync } from 'node:fs';
import { holdLock } from '../../../base/index.js';

/**
 * Keeps openings of an LMDB environment and its write transactions apart, across processes and threads. When lmdb 3.5.6
 * opens an environment, it reads the number of the last transaction from the data file, and later stores it in the lock
 * file. A transaction that another process commits in between is forgotten: the next one begins with the state before it,
 * and replaces it. Without this lock, one of 400 acknowledged transactions was lost beside three processes that opened the
 * folder in a loop.
 */
export class CommitLock {
  private readonly descriptor: number;
  private isHeld = false;

  /** @param file created if it does not exist, for its owner only */
  constructor(file: string) {
    this.descriptor = openSync(file, 'a+', 0o600);
  }

  /**
   * Runs `work`, which is synchronous, while no other process or thread opens the environment or writes to it. Waits without
   * a limit, as LMDB does for its write lock. A call within `work` runs at once.
   */
  hold<Result>(work: () => Result): Result {
    if (this.isHeld) return work();
    return holdLock(this.descriptor, () => {
      this.isHeld = true;
      try {
        return work();
      } finally {
        this.isHeld = false;
      }
    });
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
