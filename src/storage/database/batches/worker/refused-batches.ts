import type { Clock } from '../../../../base/index.js';

/** The first pause after the database refused a change of a batch, in milliseconds; it doubles up to the longest. */
export const REFUSED_MS = 2_000;
export const REFUSED_MS_MAX = 5 * 60 * 1_000;

interface Refusal {
  /** Monotonic milliseconds. */
  readonly until: number;
  readonly pause: number;
}

/**
 * Batches of which the database has refused a claim or results. This node claims none of their chunks for a while:
 * otherwise each attempt would end its session, and with it the requests of everybody else. Outlives sessions.
 */
export class RefusedBatches {
  private readonly byId = new Map<string, Refusal>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The database has refused a change of these batches. */
  note(ids: Iterable<string>): void {
    const now = this.clock.monotonic();
    for (const id of ids) {
      const last = this.byId.get(id)?.pause ?? REFUSED_MS / 2;
      const pause = Math.min(2 * last, REFUSED_MS_MAX);
      this.byId.set(id, { until: now + pause, pause });
    }
  }

  /** The batches that are not claimed now. One that has been claimed for its last pause again starts anew. */
  get resting(): string[] {
    const now = this.clock.monotonic();
    for (const [id, { until, pause }] of this.byId) if (until + pause <= now) this.byId.delete(id);
    return [...this.byId].flatMap(([id, { until }]) => (until > now ? [id] : []));
  }
}
