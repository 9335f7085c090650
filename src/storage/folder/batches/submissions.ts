import { type Clock, JUMP_LASTS_MS } from '../../../base/index.js';
import { type Idempotency, idempotencyConflict, isSameFile, isSubmissionOver } from '../../../batch/index.js';
import type { Store } from '../lmdb/store.js';
import type { RawWrite } from '../lmdb/writes.js';
import type { BatchTimes } from './times.js';

/** Rows that one transaction removes. A charge may have to wait for it. */
const REMOVED_MAX = 1_000;

/** What each key submitted under an `Idempotency-Key` in the last 24 hours (contract 4.6 rule 8). */
export class Submissions {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly times: BatchTimes,
  ) {}

  /**
   * The id of the batch made from this body under the idempotency key; undefined if the idempotency key is new.
   *
   * @throws ApiError `idempotency_conflict` if the idempotency key was used with another body
   */
  find(key: string, submission: Idempotency): string | undefined {
    const known = this.store.table('submissions').get(key, submission.digest);
    if (known === undefined || this.isOld(known)) return undefined;
    if (isSameFile(known.body, submission)) return known.batch;
    throw idempotencyConflict();
  }

  /** The row of a batch made at `now`, an instant read in this turn (see `BatchTimes.stamped`). */
  write(key: string, { digest, body }: Idempotency, batch: string, now: number): RawWrite {
    const name = [key, digest];
    this.times.stamped(...name);
    return this.store.table('submissions').write(name, { batch, body, at: now });
  }

  /** Removes rows that are over. Rejects with StoreError. */
  async forget(): Promise<void> {
    const table = this.store.table('submissions');
    let old: RawWrite[] = [];
    const remove = async () => {
      if (old.length > 0) await this.store.write(old);
      old = [];
    };
    for await (const { key, value } of table.checkedInTurns()) {
      if (value !== null && this.isOld(value)) old.push(table.write(key, null));
      if (old.length === REMOVED_MAX) await remove();
    }
    await remove();
  }

  /**
   * False while the calendar is uncertain: a batch that is made twice is paid for twice. (A database finds submissions by
   * its settled calendar, which stands still meanwhile.)
   */
  private isOld({ at }: { readonly at: number }): boolean {
    return (
      isSubmissionOver(at, this.clock.now()) &&
      this.clock.certainFor() >= JUMP_LASTS_MS &&
      !this.times.isMoving
    );
  }
}
