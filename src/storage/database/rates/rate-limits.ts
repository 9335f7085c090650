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
import { exchangeRates, KEPT_SECONDS, type KeyCount, type NodeCount, type OwnCount } from './rate-rows.js';

/** The interval at which nodes exchange their counts, in milliseconds. */
const EXCHANGE_MS = 1_000;
/**
 * Requests of another node count up to this many milliseconds too early: as if all of an exchange had come with the first
 * one, and that at the beginning of its second. If they counted too late, a node would refuse requests within the limits,
 * and those for which another node has sent the right `Retry-After`.
 */
const EARLY_MS = 1_000 + EXCHANGE_MS;

/** What was admitted here since the last exchange. */
interface Admitted extends KeyCount {
  /** When the first of them came, in monotonic milliseconds. */
  readonly first: number;
}

interface Parts {
  readonly database: Queryable;
  readonly session: Pick<Session, 'id' | 'nodes' | 'clock' | 'isServing'>;
  readonly directory: Pick<Directory, 'key'>;
  /** Called with the error of an exchange that failed. The next one includes its counts, unless the database refused them. */
  onError(error: unknown): void;
}

/**
 * The limits of each key per minute, over all nodes. Each node counts by itself; every EXCHANGE_MS it adds what other nodes
 * have admitted. A node that starts adds what was admitted in the minute before. A key can exceed its limit by what other
 * nodes admit between two exchanges; while the database is unavailable, each node admits up to the limit.
 */
export class DatabaseRateLimits implements RateLimits {
  private readonly local: RateLimiter;
  private readonly remote = new RemoteCounts();
  /** By key. The number of keys bounds it. */
  private admitted = new Map<string, Admitted>();
  /** The first session of this process, under which it writes its counts: other sessions may follow. */
  private node: number | null = null;
  /** When the last exchange began, in monotonic milliseconds. */
  private exchanged = Number.NEGATIVE_INFINITY;
  private exchanging: Promise<void> | null = null;
  private cancel = () => {};

  constructor(private readonly parts: Parts) {
    this.local = new RateLimiter(parts.session.clock, EARLY_MS);
  }

  /** Reads what the other nodes have admitted, if the database answers, and begins the exchanges. The session must have started. */
  async start(): Promise<void> {
    await this.exchange().catch((error) => this.parts.onError(error));
    this.exchangeLater();
  }

  /** Writes the last counts, if the database answers. */
  async stop(): Promise<void> {
    this.cancel();
    await this.exchanging;
    if (this.parts.session.isServing) await this.exchange().catch((error) => this.parts.onError(error));
  }

  take(key: string, bytes: number, limits: MinuteLimits): void {
    this.local.take(key, bytes, limits);
    this.note({ key, requests: 1, bytes, first: this.parts.session.clock.monotonic() });
  }

  left(key: string, limits: MinuteLimits): RatesLeft {
    return this.local.left(key, limits);
  }

  /** Writes what was admitted here, and adds what other nodes have admitted. Throws DatabaseUnavailable. */
  async exchange(): Promise<void> {
    const { session, directory } = this.parts;
    this.node ??= session.id;
    const isFirst = this.exchanged === Number.NEGATIVE_INFINITY;
    if (this.node === null || (session.nodes === 1 && this.admitted.size === 0 && !isFirst)) return;
    const began = session.clock.monotonic();
    const read = await this.writeAndRead(this.node, began);
    for (const { key, ageMs, requests, bytes } of this.remote.added(read))
      if (directory.key(key) !== undefined) this.local.add(key, began - ageMs, requests, bytes);
    this.exchanged = began;
  }

  private exchangeLater(): void {
    this.cancel = this.parts.session.clock.after(EXCHANGE_MS, () => {
      this.exchanging ??= this.exchange()
        .catch((error) => this.parts.onError(error))
        .finally(() => {
          this.exchanging = null;
        });
      this.exchangeLater();
    });
  }

  private async writeAndRead(node: number, now: number): Promise<NodeCount[]> {
    const { admitted } = this;
    this.admitted = new Map();
    const own = [...admitted.values()].map(
      ({ first, ...count }): OwnCount => ({ ...count, ageMs: now - first }),
    );
    const seconds = Math.min((now - this.exchanged) / 1_000, KEPT_SECONDS);
    try {
      return await exchangeRates(this.parts.database, node, own, seconds);
    } catch (error) {
      // Counts that the database refuses would be refused again, and with them all later ones.
      if (error instanceof DatabaseUnavailable) for (const count of admitted.values()) this.note(count);
      throw error;
    }
  }

  private note({ key, requests, bytes, first }: Admitted): void {
    const known = this.admitted.get(key);
    this.admitted.set(key, {
      key,
      requests: requests + (known?.requests ?? 0),
      bytes: bytes + (known?.bytes ?? 0),
      first: Math.min(first, known?.first ?? first),
    });
  }
}

/** Finds what is new among the counts of other nodes, which are read repeatedly and grow. */
export class RemoteCounts {
  /** The counts of the last reading. */
  private seen = new Map<string, KeyCount>();

  /** What was added since the last reading. */
  added(read: readonly NodeCount[]): (KeyCount & Pick<NodeCount, 'ageMs'>)[] {
    const before = this.seen;
    this.seen = new Map(read.map((count) => [nameOf(count), count]));
    return read
      .map((count) => {
        const known = before.get(nameOf(count));
        const requests = count.requests - (known?.requests ?? 0);
        return { key: count.key, requests, bytes: count.bytes - (known?.bytes ?? 0), ageMs: count.ageMs };
      })
      .filter(({ requests }) => requests > 0);
  }
}

const nameOf = ({ key, node, second }: NodeCount) => `${key}\0${node}\0${second}`;
