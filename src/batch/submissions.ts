import { createHash } from 'node:crypto';
import { ApiError, LIMITS } from '../api/index.js';
import { type Clock, JUMP_LASTS_MS } from '../base/index.js';
import type { RawWrite, Store } from '../store/index.js';
import type { StoredTimes } from './stored-times.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Most that one transaction removes: a charge waits behind it. */
const REMOVED_MAX = 1_000;

/** What a key has submitted under an `Idempotency-Key` (contract 4.6 rule 8) in the last 24 hours. */
export class Submissions {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly times: StoredTimes,
  ) {}

  /**
   * The batch that was made of this body. Undefined where there was none.
   *
   * @param body the SHA-256 of the file, decompressed
   * @throws ApiError `idempotency_conflict` where it was another body
   */
  find(key: string, idempotencyKey: string, body: string): string | undefined {
    const known = this.store.table('submissions').get(key, digest(idempotencyKey));
    if (known === undefined || this.isOld(known)) return undefined;
    if (known.body === body) return known.batch;
    throw new ApiError('idempotency_conflict', 'The `Idempotency-Key` was used with another file.', {
      final: true,
    });
  }

  /** The row of a batch made at `now`, which the clock has just shown (see `StoredTimes.stamped`). */
  write(key: string, idempotencyKey: string, body: string, batch: string, now: number): RawWrite {
    const name = [key, digest(idempotencyKey)];
    this.times.stamped(...name);
    return this.store.table('submissions').write(name, { batch, body, at: now });
  }

  /** Removes those of more than a day ago. Rejects with StoreError. */
  async forget(): Promise<void> {
    const table = this.store.table('submissions');
    let old: RawWrite[] = [];
    const remove = async () => {
      if (old.length > 0) await this.store.write(old);
      old = [];
    };
    for await (const { key, value } of table.entriesInTurns()) {
      if (this.isOld(value)) old.push(table.write(key, null));
      if (old.length === REMOVED_MAX) await remove();
    }
    await remove();
  }

  /** False while the calendar is uncertain: a batch that was made twice would be paid for twice. */
  private isOld({ at }: { readonly at: number }): boolean {
    const isOver = at + DAY_MS <= this.clock.now();
    return isOver && this.clock.certainFor() >= JUMP_LASTS_MS && !this.times.isMoving;
  }
}

/** Throws ApiError `invalid_request` where the header is no text of 1 to 255 characters. */
export function checkIdempotencyKey(values: readonly string[]): string | null {
  const [value] = values;
  if (value === undefined) return null;
  if (values.length === 1 && value.length > 0 && value.length <= LIMITS.idempotencyKeyCharacters)
    return value;
  throw new ApiError(
    'invalid_request',
    `Idempotency-Key must be given once, with 1 to ${LIMITS.idempotencyKeyCharacters} characters.`,
  );
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
