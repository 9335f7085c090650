import type { BatchState } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import { type Queryable, statement } from '../postgres/statement.js';
import { UNFINISHED } from './tables/conditions.js';

/** How often, in milliseconds, the counts are read. */
const COUNT_MS = 5_000;

/** The open batches of all nodes, as they were at most COUNT_MS ago. */
export class OpenCounts {
  states: Partial<Record<BatchState, number>> = {};
  /** By the model or build that they name. */
  models: ReadonlyMap<string, number> = new Map();
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

const STATES = statement(
  'open-states',
  `SELECT state, count(*) AS count FROM batches WHERE ${UNFINISHED} GROUP BY state`,
);
const MODELS = statement(
  'open-models',
  `SELECT model, count(*) AS count FROM batches, unnest(models) AS model WHERE ${UNFINISHED} GROUP BY model`,
);

/** How many open batches are in each state. */
export async function openStates(sql: Queryable): Promise<Partial<Record<BatchState, number>>> {
  const rows = await sql.query<{ state: BatchState; count: number }>(STATES);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** How many open batches name each model or build. */
async function openModels(sql: Queryable): Promise<Map<string, number>> {
  const rows = await sql.query<{ model: string; count: number }>(MODELS);
  return new Map(rows.map(({ model, count }) => [model, count]));
}
