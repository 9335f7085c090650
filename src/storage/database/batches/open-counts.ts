import type { BatchState } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import type { Queryable } from '../postgres/statement.js';
import { openModels, openStates } from './tables/open.js';

/** How often, in milliseconds, the counts are read. */
const COUNT_MS = 5_000;

/** The open batches of all nodes, as they were at most COUNT_MS ago. */
export class OpenCounts {
  states: Partial<Record<BatchState, number>> = {};
  models: readonly string[] = [];
  private stopped = false;
  private cancelNext = () => {};

  constructor(
    private readonly sql: Queryable,
    private readonly clock: Clock,
  ) {}

  /** Resolves when they have been read; reads them again at intervals. Rejects with DatabaseUnavailable. */
  async start(): Promise<void> {
    await this.read();
    this.readLater();
  }

  stop(): void {
    this.stopped = true;
    this.cancelNext();
  }

  get count(): number {
    return Object.values(this.states).reduce((sum, count) => sum + count, 0);
  }

  private readLater(): void {
    if (this.stopped) return;
    this.cancelNext = this.clock.after(COUNT_MS, () => {
      // A database that cannot be reached is reported by the session; the counts stay as they were.
      void this.read()
        .catch(() => {})
        .then(() => this.readLater());
    });
  }

  private async read(): Promise<void> {
    this.states = await openStates(this.sql);
    this.models = await openModels(this.sql);
  }
}
