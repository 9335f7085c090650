// Both storages decide by the same rules: the same situations get the same answers.

import { type Test, test } from 'tap';
import {
  budgetMonths,
  type Key,
  keyWorks,
  monthBefore,
  monthOf,
  type Pause,
  type Workspace,
} from '../../src/access/index.js';
import { ApiError, BATCH_STATES } from '../../src/api/index.js';
import { systemClock } from '../../src/base/index.js';
import {
  type Batch,
  deleteAfter,
  FINISHED,
  isSubmissionOver,
  KEPT_COLLECTED_MS,
  KEPT_FINISHED_MS,
  KEPT_SUBMISSION_MS,
  type NewestBatches,
  storedBytesOf,
} from '../../src/batch/index.js';
import { storedPause } from '../../src/storage/database/batches/batch-store.js';
import { insertBatch } from '../../src/storage/database/batches/tables/batch-table.js';
import {
  keyWorksIn,
  submissionIsOver,
  UNFINISHED,
} from '../../src/storage/database/batches/tables/conditions.js';
import { deletableBatches, removeStale } from '../../src/storage/database/batches/tables/deletion.js';
import { newestBatches as newestInDatabase } from '../../src/storage/database/batches/tables/newest.js';
import {
  findSubmission,
  putSubmission,
  storedBytes,
} from '../../src/storage/database/batches/tables/submissions.js';
import { Holdings } from '../../src/storage/database/ledger/holdings.js';
import { SETTLED_MS } from '../../src/storage/database/postgres/calendar-sql.js';
import { FORMAT_1 } from '../../src/storage/database/postgres/schema/format-1.js';
import { newestBatches as newestInFolder } from '../../src/storage/folder/batches/newest.js';
import { Submissions } from '../../src/storage/folder/batches/submissions.js';
import { BatchTimes } from '../../src/storage/folder/batches/times.js';
import { FolderDirectory } from '../../src/storage/folder/directory/directory.js';
import { openStore } from '../../src/storage/folder/index.js';
import { FolderLedger } from '../../src/storage/folder/ledger/ledger.js';
import { addWorkspace, chargeOf, sql, startNode, tryReserve } from '../support/cluster/nodes.js';
import { dataFolder } from '../support/data-folder.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const SITUATIONS = scaled({ short: 400, long: 2_000 }, 'SITUATIONS');
/** Fewer than one call of `deletableBatches` returns. */
const BATCHES = 200;
const KEYS = scaled({ short: 400, long: 3_000 });
/** Requests of the database in progress: as many as it has connections, so that none waits for one. */
const AT_ONCE = 5;
/** Amounts are small, so that they often are equal. */
const AMOUNT_MAX = 6;

/** The money of a workspace, and what a request costs. */
interface Situation {
  readonly workspace: Workspace;
  readonly charged: number;
  readonly month: string;
  readonly monthCharged: number;
  readonly cost: number;
}

/** What a storage decides: whether the workspace is paused, and what becomes of the request. */
interface Decided {
  readonly pause: Pause | null;
  readonly request: string;
}

function situations(seed: number, count: number): Situation[] {
  const { integer } = random(seed);
  const now = systemClock.now();
  return Array.from({ length: count }, (_, at) => {
    const charged = integer(AMOUNT_MAX);
    const workspace = {
      id: `w${at}`,
      name: null,
      created: 0,
      closed: null,
      granted: BigInt(integer(AMOUNT_MAX)),
      budget: integer(3) === 0 ? null : BigInt(integer(AMOUNT_MAX)),
      models: null,
      bytesPerMinute: 1,
      requestsPerMinute: 1,
    };
    const month = integer(2) === 0 ? monthOf(now) : monthBefore(now);
    return { workspace, charged, month, monthCharged: integer(charged + 1), cost: 1 + integer(AMOUNT_MAX) };
  });
}

async function inFolder(t: Test, all: readonly Situation[]): Promise<Decided[]> {
  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  store.change(() => {
    for (const { workspace, charged, month, monthCharged } of all) {
      const [granted, budget] = [`${workspace.granted}`, workspace.budget?.toString() ?? null];
      store.table('workspaces').put([workspace.id], { ...workspace, models: null, granted, budget });
      const account = { charged: `${charged}`, month, monthCharged: `${monthCharged}` };
      store.table('accounts').put([workspace.id], account);
      const used = { requests: 1, inputTokens: 1, amount: `${monthCharged}` };
      store.table('usage').put([workspace.id, `${month}-01`, 'k', 'm', 'live', '1'], used);
    }
  });
  const ledger = new FolderLedger(store, new FolderDirectory(store), systemClock, (error) =>
    t.fail(`${error}`),
  );
  const decided = all.map(({ workspace, cost }) => {
    const pause = ledger.pause(workspace);
    const caller = { key: { id: 'k' }, workspace } as Parameters<FolderLedger['reserve']>[0];
    try {
      ledger.reserve(caller, chargeOf(cost)).release();
      return { pause, request: 'reserved' };
    } catch (error) {
      return { pause, request: error instanceof ApiError ? error.type : String(error) };
    }
  });
  await ledger.flush();
  return decided;
}

async function inDatabase(t: Test, all: readonly Situation[]): Promise<Decided[]> {
  const { url, database } = await newDatabase(t);
  const node = await startNode(t, url);
  const decided: Decided[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const part = all
      .slice(at, at + AT_ONCE)
      .map(async ({ workspace, charged, month, monthCharged, cost }) => {
        const { id } = workspace;
        const caller = await addWorkspace(database, id, workspace);
        await sql(database, 'INSERT INTO accounts VALUES ($1, $2, $3, $4)', [
          id,
          charged,
          month,
          monthCharged,
        ]);
        const pause = await storedPause(database, id);
        const reservation = await tryReserve(node, caller, cost);
        // By now the node knows the account.
        t.equal(node.ledger.pause(workspace), pause, `${id}: a node against the database`);
        if (typeof reservation === 'string') return { pause, request: reservation };
        reservation.release();
        return { pause, request: 'reserved' };
      });
    decided.push(...(await Promise.all(part)));
  }
  return decided;
}

/** Does something within one month: once more if the month has changed meanwhile. */
async function withinMonth<Result>(work: () => Promise<Result>): Promise<Result> {
  const month = monthOf(systemClock.now());
  const result = await work();
  return monthOf(systemClock.now()) === month ? result : work();
}

test('pause, credit and budget: both storages decide alike', NEEDS_POSTGRES, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { all, folder, database } = await withinMonth(async () => {
    const made = situations(seed, SITUATIONS);
    return { all: made, folder: await inFolder(t, made), database: await inDatabase(t, made) };
  });
  const differing = all.filter((_, at) => JSON.stringify(folder[at]) !== JSON.stringify(database[at]));
  const shown = differing.slice(0, 3).map((each) => ({
    ...each,
    workspace: {
      ...each.workspace,
      granted: `${each.workspace.granted}`,
      budget: `${each.workspace.budget}`,
    },
    folder: folder[all.indexOf(each)],
    database: database[all.indexOf(each)],
  }));
  t.strictSame(shown, [], `TEST_SEED=${seed}`);
  const kinds = new Set(folder.map(({ pause, request }) => `${pause} ${request}`));
  t.ok(kinds.size >= 5, [...kinds].join(', '));
});

test('a workspace with a budget of 0 is paused in a new month too', NEEDS_POSTGRES, async (t) => {
  const [situation] = situations(1, 1) as [Situation];
  const workspace = { ...situation.workspace, granted: 5n, budget: 0n };
  const month = monthBefore(systemClock.now());
  const all = [{ workspace, charged: 1, month, monthCharged: 1, cost: 1 }];
  const paused = [{ pause: 'budget_exceeded', request: 'budget_exceeded' }];
  t.strictSame(await inFolder(t, all), paused);
  t.strictSame(await inDatabase(t, all), paused);
  t.equal(
    new Holdings(1).pause(workspace, budgetMonths(systemClock.now(), systemClock.now())),
    'budget_exceeded',
  );
});

test('a key works by SQL when it works by TypeScript', NEEDS_POSTGRES, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const { integer } = random(seed);
  const { database } = await newDatabase(t);
  const [{ now } = { now: 0 }] = await sql<{ now: number }>(database, `SELECT ${SETTLED_MS} AS now`);
  const instant = () => (integer(3) === 0 ? null : now + (integer(2) === 0 ? -1 : 1) * integer(3_600_000));
  const CLOSED = { open: null, closed: now };
  await sql(
    database,
    `INSERT INTO workspaces (id, created, bytes_per_minute, requests_per_minute, closed, changed)
     VALUES ('open', 0, 1, 1, NULL, 1), ('closed', 0, 1, 1, $1, 1)`,
    [now],
  );
  const keys = Array.from({ length: KEYS }, (_, at) => ({
    id: `k${at}`,
    workspace: integer(4) === 0 ? ('closed' as const) : ('open' as const),
    expires: instant(),
    revoked: instant(),
  }));
  await sql(
    database,
    `INSERT INTO keys (id, workspace, digest, created, expires, revoked, changed)
     SELECT id, workspace, id, 0, expires, revoked, 1
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS k(id, workspace, expires, revoked)`,
    (['id', 'workspace', 'expires', 'revoked'] as const).map((name) => keys.map((key) => key[name])),
  );
  const rows = await sql<{ id: string; works: boolean; now: number }>(
    database,
    `SELECT id, ${keyWorksIn('keys')} AS works, ${SETTLED_MS} AS now FROM keys`,
  );
  const byId = new Map(keys.map((key) => [key.id, key]));
  const wrong = rows.filter((row) => {
    const key = byId.get(row.id) as (typeof keys)[number];
    const works = keyWorks(key as unknown as Key, { closed: CLOSED[key.workspace] }, row.now);
    return works !== row.works;
  });
  t.strictSame([rows.length, wrong], [KEYS, []], `TEST_SEED=${seed}`);
});

/** Batches of which everything but the times, the state and the workspace is alike. The times end minutes from any limit. */
function generatedBatches(seed: number, now: number): Batch[] {
  const { integer, pick } = random(seed);
  const around = (kept: number) => now - kept + (integer(2) === 0 ? -1 : 1) * (1 + integer(9)) * 60_000;
  return Array.from({ length: BATCHES }, (_, at): Batch => {
    const state = pick(BATCH_STATES);
    const finished = FINISHED.includes(state) ? around(pick([0, KEPT_FINISHED_MS])) : null;
    return {
      id: `batch_${at}`,
      key: 'k',
      workspace: pick(['one', 'two']),
      number: at,
      state,
      lines: 1,
      chunks: 1,
      done: 0,
      failed: 0,
      models: ['m'],
      created: now - integer(BATCHES / 4),
      started: null,
      finished,
      expires: now,
      collected: finished === null || integer(2) === 0 ? null : around(pick([0, KEPT_COLLECTED_MS])),
      reason: null,
      estimate: { amount: '1', inputTokens: 1, rate: 1 },
      webhook: null,
      deleted: integer(8) === 0,
      stored: { lines: integer(9), other: integer(9) },
    };
  });
}

test(
  'the bytes, the deletion, and the order and filters of the newest batches, are alike',
  NEEDS_POSTGRES,
  async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const now = systemClock.now();
    const batches = generatedBatches(seed, now);
    const { database } = await newDatabase(t);
    await database.transaction(async (transaction) => {
      for (const batch of batches) await insertBatch(transaction, batch);
    });
    const store = openStore(dataFolder(t));
    t.teardown(() => store.close());
    const table = store.table('batches');
    await store.write(batches.map((batch) => table.write([batch.id], batch)));

    const isDue = (batch: Batch) =>
      batch.finished !== null && (batch.deleted || (deleteAfter(batch) ?? 0) <= now);
    const sums = new Map<string, number>();
    for (const batch of batches)
      sums.set(batch.workspace, (sums.get(batch.workspace) ?? 0) + storedBytesOf(batch));
    const byName = (entries: Iterable<readonly [string, number]>) => [...entries].sort();
    t.strictSame(byName(await storedBytes(database)), byName(sums), `TEST_SEED=${seed}`);
    const due = batches.filter(isDue).map(({ id }) => id);
    t.strictSame((await deletableBatches(database)).sort(), due.sort(), `TEST_SEED=${seed}`);
    t.ok(due.length > 5);

    for (const state of [undefined, ...BATCH_STATES])
      for (const workspace of [undefined, 'one'])
        for (const limit of [3, BATCHES]) {
          const filter = { state, workspace, limit };
          const ids = ({ batches: found, more }: NewestBatches) => [found.map(({ id }) => id), more];
          t.strictSame(
            ids(await newestInDatabase(database, filter)),
            ids(newestInFolder(store, filter)),
            JSON.stringify(filter),
          );
        }
  },
);

test('a submission counts for its idempotency key for a day, in both storages', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const now = systemClock.now();
  for (const at of [now - KEPT_SUBMISSION_MS, now - KEPT_SUBMISSION_MS + 1]) {
    const over = `SELECT ${submissionIsOver('$1::bigint')} AS over FROM (VALUES ($2::bigint)) AS submission(at)`;
    t.strictSame(await sql(database, over, [now, at]), [{ over: isSubmissionOver(at, now) }]);
  }
  t.ok(isSubmissionOver(now - KEPT_SUBMISSION_MS, now), 'at the limit');

  const store = openStore(dataFolder(t));
  t.teardown(() => store.close());
  const times = new BatchTimes(store, {} as ConstructorParameters<typeof BatchTimes>[1], 0);
  const inFolder = new Submissions(store, systemClock, times);
  // Minutes from the limit: the clocks of both run.
  const rows = [-9, -1, 1, 9].map((minutes) => ({
    digest: `d${minutes}`,
    at: now - KEPT_SUBMISSION_MS + minutes * 60_000,
  }));
  for (const { digest, at } of rows) {
    const submission = { digest, body: 'f', fileDigest: 'not stored' };
    await database.transaction((each) => putSubmission(each, 'k', submission, digest, at));
    await store.write([inFolder.write('k', submission, digest, at)]);
  }
  for (const when of ['before the removal', 'after it']) {
    for (const { digest } of rows) {
      const submission = { digest, body: 'f', fileDigest: '' };
      const found = inFolder.find('k', submission);
      t.equal(await findSubmission(database, 'k', submission), found, `${digest} ${when}`);
      // As versions stored it before files had an HMAC.
      const earlier = { digest, body: 'g', fileDigest: 'f' };
      t.equal(await findSubmission(database, 'k', earlier), found);
      t.equal(inFolder.find('k', earlier), found);
    }
    await inFolder.forget();
    await removeStale(database, new AbortController().signal);
  }
  const kept = await sql<{ digest: string }>(database, 'SELECT digest FROM submissions ORDER BY at');
  t.strictSame(
    kept.map(({ digest }) => digest),
    ['d1', 'd9'],
  );
  const keptInFolder = [...store.table('submissions').entries()].map(({ value }) => value.batch);
  t.strictSame(keptInFolder.sort(), ['d1', 'd9']);
});

test('the index of unfinished batches has the states of the rule', async (t) => {
  const index = FORMAT_1.find((text) => text.includes('INDEX batches_unfinished'));
  t.match(index, new RegExp(`WHERE ${UNFINISHED.replace(/[()]/g, '\\$&')}$`));
});
