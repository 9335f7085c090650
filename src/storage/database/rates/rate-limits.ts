import {
  type Directory,
  type MinuteLimits,
  RateLimiter,
  type RateLimits,
  type RatesLeft,
} from '../../../access/index.js';
import { DatabaseUnavailable } from '../postgres/database-errors.js';
import type { Queryable } from '../postgres/statement.js';
import type { Session } from '../session/session.js';
import { exchangeRates, type KeyCount, type NodeCount } from './rate-rows.js';

/** The interval at which nodes exchange their counts, in milliseconds. */
const EXCHANGE_MS = 1_000;

interface Parts {
  readonly database: Queryable;
  readonly session: Pick<Session, 'id' | 'nodes' | 'clock'>;
  readonly directory: Pick<Directory, 'key' | 'workspace'>;
  /** Called with the error of an exchange that failed. The next one includes its counts, unless the database refused them. */
  onError(error: unknown): void;
}

/**
 * The limits of each key per minute, over all nodes. Each node counts by itself; every EXCHANGE_MS it adds what other nodes
 * have admitted. A key can exceed its limit by what other nodes admit between two exchanges; while the database is
 * unavailable, each node admits up to the limit.
 */
export class DatabaseRateLimits implements RateLimits {
  private readonly local: RateLimiter;
  private readonly remote = new RemoteCounts();
  /** What was admitted here since the last exchange, by key. The number of keys bounds it. */
  private admitted = new Map<string, KeyCount>();
  private exchanging: Promise<void> | null = null;
  private cancel = () => {};

  constructor(private readonly parts: Parts) {
    this.local = new RateLimiter(parts.session.clock);
  }

  start(): void {
    this.cancel = this.parts.session.clock.after(EXCHANGE_MS, () => {
      this.exchanging ??= this.exchange()
        .catch((error) => this.parts.onError(error))
        .finally(() => {
          this.exchanging = null;
        });
      this.start();
    });
  }

  async stop(): Promise<void> {
    this.cancel();
    await this.exchanging;
  }

  take(key: string, bytes: number, limits: MinuteLimits): void {
    this.local.take(key, bytes, limits);
    this.note({ key, requests: 1, bytes });
  }

  left(key: string, limits: MinuteLimits): RatesLeft {
    return this.local.left(key, limits);
  }

  /** Writes what was admitted here, and adds what other nodes have admitted. Throws DatabaseUnavailable. */
  async exchange(): Promise<void> {
    const { database, session, directory } = this.parts;
    const { admitted } = this;
    this.admitted = new Map();
    if (session.id === null || session.nodes === 1) return;
    try {
      const read = await exchangeRates(database, session.id, [...admitted.values()]);
      for (const { key, requests, bytes } of this.remote.added(read)) {
        const limits = directory.workspace(directory.key(key)?.workspace ?? '');
        if (limits !== undefined) this.local.add(key, requests, bytes, limits);
      }
    } catch (error) {
      // Counts that the database refuses would be refused again, and with them all later ones.
      if (error instanceof DatabaseUnavailable) for (const count of admitted.values()) this.note(count);
      throw error;
    }
  }

  private note({ key, requests, bytes }: KeyCount): void {
    const known = this.admitted.get(key);
    this.admitted.set(key, {
      key,
      requests: requests + (known?.requests ?? 0),
      bytes: bytes + (known?.bytes ?? 0),
    });
  }
}

/** Finds what is new among the counts of other nodes, which are read repeatedly and grow. */
export class RemoteCounts {
  /** The counts of the last reading. */
  private seen = new Map<string, KeyCount>();

  /** What was added since the last reading. */
  added(read: readonly NodeCount[]): KeyCount[] {
    const before = this.seen;
    this.seen = new Map(read.map((count) => [nameOf(count), count]));
    return read
      .map((count) => {
        const known = before.get(nameOf(count));
        const requests = count.requests - (known?.requests ?? 0);
        return { key: count.key, requests, bytes: count.bytes - (known?.bytes ?? 0) };
      })
      .filter(({ requests }) => requests > 0);
  }
}

const nameOf = ({ key, node, second }: NodeCount) => `${key}\0${node}\0${second}`;
