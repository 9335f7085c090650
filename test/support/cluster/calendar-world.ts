import type { Test } from 'tap';
import { claimCandidates } from '../../../src/storage/database/batches/tables/claims.js';
import { deletableBatches, removeStale } from '../../../src/storage/database/batches/tables/deletion.js';
import { endedBatches } from '../../../src/storage/database/batches/tables/due.js';
import { findSubmission, lockSubmissions } from '../../../src/storage/database/batches/tables/submissions.js';
import type { CalendarEvent } from '../../../src/storage/database/calendar/calendar.js';
import type { Database } from '../../../src/storage/database/index.js';
import { lockAccounts } from '../../../src/storage/database/ledger/account-rows.js';
import { databaseNow } from '../../../src/storage/database/postgres/calendar-sql.js';
import { HEARTBEAT_MS, Session } from '../../../src/storage/database/session/session.js';
import { fakeClock } from '../fake-clock.js';
import { connectTo, newDatabase } from '../postgres.js';
import { until } from '../until.js';
import { DatabaseClock } from './database-clock.js';
import { sql } from './nodes.js';

export const DAY_MS = 24 * 3_600_000;
/** Answers of a task: more than one statement moves. */
export const ANSWERS = 20_001;
/** When each world begins. */
export const START = Date.UTC(2026, 10, 20, 12);

/** A session with a clock and connections of its own. */
export interface CalendarNode {
  readonly session: Session;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly database: Database;
  readonly events: [CalendarEvent, number][];
}

/** Sessions over a database whose clock stands still, as theirs, until the test moves them. */
export class CalendarWorld {
  readonly nodes: CalendarNode[] = [];
  /** Time that has passed, without jumps. */
  passed = 0;

  private constructor(
    private readonly t: Test,
    private readonly url: string,
    readonly database: Database,
    readonly clock: DatabaseClock,
  ) {}

  static async start(t: Test, nodes = 2, start = START): Promise<CalendarWorld> {
    const { url, database } = await newDatabase(t);
    const world = new CalendarWorld(t, url, database, await DatabaseClock.replace(database, start));
    for (let at = 0; at < nodes; at += 1) await world.add().session.start();
    return world;
  }

  /** The right time. */
  get now(): number {
    return START + this.passed;
  }

  private add(): CalendarNode {
    const database = connectTo(this.t, this.url);
    const clock = fakeClock(this.now);
    const events: CalendarNode['events'] = [];
    const onError = (error: unknown) => this.t.error(error);
    const onCalendar = (event: CalendarEvent, ms: number) => void events.push([event, ms]);
    const name = { name: `node ${this.nodes.length}`, version: '1.0.0' };
    const session = new Session({ database, clock, node: name, onCalendar, onError });
    this.t.teardown(() => session.stop());
    const node = { session, clock, database, events };
    this.nodes.push(node);
    return node;
  }

  /** Adds a node and starts its session, while others send heartbeats. */
  async join(others: readonly CalendarNode[] = []): Promise<CalendarNode> {
    const node = this.add();
    const { session, clock } = node;
    let isJoined = false;
    const joined = session.start().then(() => {
      isJoined = true;
    });
    for (;;) {
      // The start waits for heartbeats of others.
      await until(() => isJoined || clock.timers() > 0);
      if (isJoined) break;
      await this.beat(1, others);
      clock.advance(HEARTBEAT_MS);
    }
    await joined;
    return node;
  }

  /** Time passes for the database and the nodes, each of which sends one heartbeat, in their order. */
  async pass(ms: number, nodes: readonly CalendarNode[] = this.nodes): Promise<void> {
    await this.clock.move(ms);
    this.passed += ms;
    for (const { clock, database, session } of nodes) {
      const sent = () => database.statements.get('session-heartbeat') ?? 0;
      const before = sent();
      clock.advance(ms);
      await until(() => sent() > before && database.connections.used === 0);
      await session.calendar.settled();
    }
  }

  /** Seconds with a heartbeat each. */
  async beat(times: number, nodes: readonly CalendarNode[] = this.nodes): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.pass(HEARTBEAT_MS, nodes);
  }

  /** How far the calendar in SQL and those of the nodes are ahead of the right time. */
  async ahead(): Promise<{ readonly sql: number; readonly nodes: readonly number[] }> {
    const nodes = this.nodes.map(({ session }) => Math.round(session.clock.now()) - this.now);
    return { sql: (await databaseNow(this.database)) - this.now, nodes };
  }

  /** Rows with each sort of time: of one key, which expires in a day, as the windows of its batches. */
  async fill(): Promise<void> {
    const end = START + DAY_MS;
    const batch = (id: string, number: number, state: string, finished: number | null) =>
      `INSERT INTO batches (id, key, workspace, number, state, lines, chunks, models, created, finished, expires,
         estimate_amount, estimate_tokens, estimate_rate, stored_lines, stored_other)
       VALUES ('${id}', 'k', 'w', ${number}, '${state}', 1, 1, '{}', ${START}, ${finished}, ${end}, 1, 1, 1, 1, 1)`;
    for (const text of [
      `INSERT INTO workspaces (id, created, bytes_per_minute, requests_per_minute, granted, changed)
       VALUES ('w', 0, 1, 1, 100, 1)`,
      `INSERT INTO keys (id, workspace, digest, created, expires, changed) VALUES ('k', 'w', 'd', 0, ${end}, 1)`,
      batch('open', 0, 'queued', null),
      batch('done', 1, 'done', START),
      `INSERT INTO batch_chunks (batch, chunk) VALUES ('open', 0)`,
      `INSERT INTO submissions (key, digest, batch, body, at) VALUES ('k', 'digest', 'done', 'body', ${START})`,
      `INSERT INTO accounts (workspace, month) VALUES ('w', '2026-11')`,
      // Of a task, and more than one statement moves.
      `INSERT INTO task_answers SELECT 't', n, n::text, ${START}, 1, 'm', '' FROM generate_series(1, ${ANSWERS}) AS numbers(n)`,
      `INSERT INTO task_answers VALUES ('t', 0, '0', 7, 1, 'm', '')`,
      `INSERT INTO task_labels VALUES ('t', '1', ${START}, 1, 'm', '', ''), ('t', '0', 7, 1, 'm', '', '')`,
    ])
      await sql(this.database, text);
  }

  /** When the answers and labels were made, and how many of each at that time. */
  taskTimes(): Promise<Array<{ readonly kind: string; readonly at: number; readonly count: number }>> {
    return sql(
      this.database,
      `SELECT 'answer' AS kind, at, count(*)::int AS count FROM task_answers GROUP BY at
       UNION ALL SELECT 'label', at, count(*)::int FROM task_labels GROUP BY at ORDER BY kind, at`,
    );
  }

  /** What has ended, by the functions of the nodes. Deletes old idempotency keys. */
  async state() {
    const { database } = this;
    await removeStale(database, new AbortController().signal);
    const none = { keys: [], batches: [], models: [] };
    const { months } = await database.transaction((one) => lockAccounts(one, ['w'], 0));
    const submission = { digest: 'digest', body: 'body', fileDigest: '' };
    return {
      ended: (await endedBatches(database)).map(({ event }) => event),
      claimable: (await claimCandidates(database, none)).map(({ id }) => id),
      deletable: await deletableBatches(database),
      keyWorks: (await database.transaction((one) => lockSubmissions(one, 'k')))?.works,
      submitted: await findSubmission(database, 'k', submission),
      submissions: (await sql(database, 'SELECT FROM submissions')).length,
      // The last one that has begun for budgets.
      month: months.doubted ?? months.current,
    };
  }
}

/** The state after `fill`. */
export const UNCHANGED = {
  ended: [],
  claimable: ['open'],
  deletable: [],
  keyWorks: true,
  submitted: 'done',
  submissions: 1,
  month: '2026-11',
};
