import type { Clock } from '../../base/index.js';

/** A write that takes longer counts as failed, in milliseconds. */
export const PROBE_MS_MAX = 5_000;

interface Parts {
  readonly clock: Pick<Clock, 'after'>;
  /** Why requests cannot be answered, apart from failed writes. */
  reasons(): readonly string[];
  /** Writes; rejects if that fails. */
  probe(): Promise<void>;
  /** Name of what `probe` writes to, such as `The data folder`. */
  readonly place: string;
}

/** Finds out whether the server can answer requests. Calls that overlap share one write. */
export class Readiness {
  private probing: Promise<void> | null = null;

  constructor(private readonly parts: Parts) {}

  /** Why the server cannot answer requests; empty if it can. Takes at most `PROBE_MS_MAX`. */
  async check(): Promise<readonly string[]> {
    const unwritable = await this.unwritable();
    return [...this.parts.reasons(), ...(unwritable === null ? [] : [unwritable])];
  }

  private async unwritable(): Promise<string | null> {
    this.probing ??= this.parts.probe().finally(() => {
      this.probing = null;
    });
    const probed = this.probing.then(
      () => null,
      (error: Error) => error.message,
    );
    let cancel = () => {};
    const late = new Promise<string>((resolve) => {
      const message = `${this.parts.place} has not taken a write within ${PROBE_MS_MAX / 1_000} s.`;
      cancel = this.parts.clock.after(PROBE_MS_MAX, () => resolve(message));
    });
    return Promise.race([probed, late]).finally(() => cancel());
  }
}
