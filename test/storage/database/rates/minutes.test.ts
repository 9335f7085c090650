// Several nodes, on which the requests of one key are admitted by a virtual clock, and the rule of the limits per minute.
import { type Test, test } from 'tap';
import type { Directory } from '../../../../src/access/index.js';
import { ApiError } from '../../../../src/api/index.js';
import type { Clock } from '../../../../src/base/index.js';
import type { Database } from '../../../../src/storage/database/index.js';
import { SESSION_MS } from '../../../../src/storage/database/postgres/calendar-sql.js';
import type { Statement } from '../../../../src/storage/database/postgres/statement.js';
import { DatabaseRateLimits } from '../../../../src/storage/database/rates/rate-limits.js';
import { NEEDS_POSTGRES, newDatabase } from '../../../support/postgres.js';
import { type Random, random, seedFromEnvironment } from '../../../support/random.js';
import { scaled } from '../../../support/scale.js';

const MINUTE_MS = 60_000;
const EXCHANGE_MS = 1_000;
/** After two exchanges, all nodes count what one has admitted, and they stop up to as many milliseconds too early. */
const INEXACT_MS = 2 * EXCHANGE_MS;
const NODES = 3;
const REQUESTS = scaled({ short: 150, long: 1_500 });
const LIMITS = { requestsPerMinute: 12, bytesPerMinute: 600 };

interface Sent {
  readonly node: number;
  readonly at: number;
  readonly bytes: number;
}

/** A cluster whose time stands still unless the test moves it. */
class World {
  now = 1_700_000_000_000;
  readonly admitted: Sent[] = [];
  private readonly nodes: DatabaseRateLimits[] = [];
  private readonly exchanges: number[] = [];
  private sessions = 0;

  constructor(
    private readonly t: Test,
    private readonly database: Database,
    private readonly next: Random,
  ) {}

  /** Starts a node in the place `at`, after the one that was there has stopped. */
  async start(at: number): Promise<void> {
    await this.nodes[at]?.stop();
    this.sessions += 1;
    const clock = { monotonic: () => this.now - 1_000, after: () => () => {} } as unknown as Clock;
    const session = { id: this.sessions, nodes: NODES, clock, isServing: true };
    const directory = { key: () => ({ workspace: 'one' }) } as unknown as Directory;
    const onError = (error: unknown) => this.t.fail(String(error));
    const query = <Row extends object>({ text }: Statement, values?: readonly unknown[]) =>
      this.database.query<Row>(
        { name: '', text: text.replaceAll(SESSION_MS, `${this.now}::bigint`) },
        values,
      );
    const database = { query, execute: () => Promise.reject(new Error('not expected')) };
    const node = new DatabaseRateLimits({ database, session: session as never, directory, onError });
    this.nodes[at] = node;
    this.exchanges[at] = this.now + 1 + this.next.integer(EXCHANGE_MS);
    await node.start();
  }

  /** Lets time pass, with the exchanges that fall due. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const due = Math.min(...this.exchanges);
      if (due > end) break;
      this.now = due;
      const at = this.exchanges.indexOf(due);
      this.exchanges[at] = due + EXCHANGE_MS;
      await this.nodes[at]?.exchange();
    }
    this.now = end;
  }

  /** Sends a request to a node; returns the seconds of its Retry-After, or 0. */
  send(at: number, bytes: number): number {
    try {
      this.nodes[at]?.take('key', bytes, LIMITS);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return Math.ceil(error.headers.retryAfterSeconds ?? Number.NaN);
    }
    this.admitted.push({ node: at, at: this.now, bytes });
    return 0;
  }

  /** Whether a node knows all that was admitted. */
  knowsAll(node: number): boolean {
    return this.admitted.every((each) => each.node === node || each.at <= this.now - INEXACT_MS);
  }

  /** Whether a request fits with those that were admitted in the last `ms` milliseconds, without the last `without`. */
  fits(bytes: number, ms: number, without = 0): boolean {
    const counted = this.admitted.filter(({ at }) => at > this.now - ms && at <= this.now - without);
    const sum = counted.reduce((total, each) => total + each.bytes, bytes);
    return counted.length < LIMITS.requestsPerMinute && sum <= LIMITS.bytesPerMinute;
  }
}

test('a minute of a key on several nodes that are restarted', NEEDS_POSTGRES, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const { database } = await newDatabase(t);
  const world = new World(t, database, next);
  for (let at = 0; at < NODES; at += 1) await world.start(at);
  const [early, extra, again]: string[][] = [[], [], []];
  for (let request = 0; request < REQUESTS; request += 1) {
    await world.pass(next.pick([0, 1, next.integer(300), next.integer(3_000), 5_000, next.integer(20_000)]));
    if (next.integer(15) === 0) await world.start(next.integer(NODES));
    const bytes = next.pick([1, next.integer(50), next.integer(200)]);
    const where = `request ${request}`;
    const isWithin = world.fits(bytes, MINUTE_MS);
    const isBeyond = !world.fits(bytes, MINUTE_MS - INEXACT_MS, INEXACT_MS);
    const node = next.integer(NODES);
    const wait = world.send(node, bytes);
    if (wait > 0 && isWithin) early?.push(where);
    if (wait === 0 && isBeyond) extra?.push(where);
    if (wait === 0 || !world.knowsAll(node) || next.integer(3) > 0) continue;
    t.ok(wait <= 60, `${where} waits for a minute at most`);
    await world.pass(wait * 1_000);
    const second = world.send(next.integer(NODES), bytes);
    if (second > 0) again?.push(`${where}: ${wait} s, then ${second} s`);
  }
  t.strictSame(early, [], 'within the limits, a request is admitted on every node');
  t.strictSame(extra, [], 'what was admitted on another node two exchanges before counts');
  t.strictSame(again, [], 'after Retry-After, the request is admitted on every node');
});
