import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BATCH_STATES } from '../../../src/api/index.js';
import { randomLetters } from '../../../src/base/index.js';
import { placeOf, seal } from '../../../src/sealing/index.js';
import { NO_SHADOW_ANSWERS } from '../../../src/statistics/index.js';
import { putKey } from '../../../src/storage/folder/administration/rows.js';
import { openStore, Sealer, type Store } from '../../../src/storage/folder/index.js';
import { writeKeptTime } from '../../../src/storage/folder/lmdb/kept-time.js';
import type { Value } from '../../../src/storage/folder/lmdb/table.js';
import type { RawWrite } from '../../../src/storage/folder/lmdb/writes.js';
import {
  type AnswerRow,
  type LabelRow,
  LabelRows,
  sealAnswer,
  sealFit,
  sealMonitor,
  sealPut,
  sealShadow,
  type Task,
} from '../../../src/tasks/index.js';
import {
  changeWorkspace,
  closeWorkspace,
  createKey,
  createWorkspace,
  grantCredit,
  revokeKey,
  rollKey,
} from '../access/folder-changes.js';
import { line } from '../batch/world.js';
import { fakeClock } from '../fake-clock.js';
import { fitOf, monitorOf } from '../store/fitted-task.js';

const NOW = Date.parse('2026-05-10T12:00:00Z');
const DAY_MS = 24 * 3_600_000;
/** Units per token; every line has TOKENS. */
const PRICE = 750n;
const TOKENS = 100;
const CHUNK_LINES = 4;
/** Writes of one transaction. */
const WRITES_MAX = 5_000;

type Batch = Value<'batches'>;

/** A batch of a folder: its state, and lines of which the first have results. */
interface Stored {
  readonly id: string;
  readonly key: string;
  readonly number: number;
  readonly state: Batch['state'];
  readonly lines: number;
  readonly results: number;
  readonly chunkLines?: number;
  readonly resultBytes?: number;
  readonly now: number;
  readonly more?: Partial<Batch>;
}

/** What a test needs of a folder that `fillFolder` made. */
export interface FullFolder {
  readonly masterKey: Buffer;
  readonly batches: readonly Stored[];
  /** A key with a batch in every state. */
  readonly key: string;
}

/**
 * Fills a data folder with everything that one can have: workspaces with and without charges, keys and batches in every
 * state, one more batch of `large` lines, all of which have results, and a task. `decider verify` finds nothing wrong with it.
 * `now`: when the batches were made and finished, in milliseconds since 1970.
 */
export async function fillFolder(
  folder: string,
  { large = 0, largeResultBytes = 0, now = NOW } = {},
): Promise<FullFolder> {
  const store = openStore(folder);
  const sealer = new Sealer(store, '');
  const key = fillAccounts(store);
  const states = BATCH_STATES.map((state, number) => batchIn(state, key, number, now));
  const special: Stored[] = [
    { ...batchIn('done', key, states.length, now), more: { deleted: true } },
    // As an earlier version stored it.
    { ...batchIn('done', key, states.length + 1, now), more: { stored: undefined } },
    // The server ended before it finished this batch.
    { ...batchIn('running', key, states.length + 2, now), lines: 8, results: 8 },
    {
      ...batchIn('done', key, states.length + 3, now),
      lines: large,
      results: large,
      chunkLines: 256,
      resultBytes: largeResultBytes,
    },
  ];
  const batches = [...states, ...special];
  let writes: RawWrite[] = [writeKeptTime(store, { shown: NOW, certain: NOW })];
  for (const batch of batches) {
    for (const write of batchWrites(store, sealer, batch)) {
      writes.push(write);
      if (writes.length < WRITES_MAX) continue;
      await store.write(writes);
      writes = [];
    }
  }
  writes.push(...taskWrites(store, sealer));
  const done = batches.reduce((sum, { results }) => sum + results, 0);
  await store.write([...writes, ...chargeWrites(store, key, done), ...submissionWrites(store, key, batches)]);
  await store.close();
  const masterKey = Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8').trim(), 'hex');
  return { masterKey, batches, key };
}

/** Workspaces and keys. Returns the id of one that works. */
function fillAccounts(store: Store): string {
  const clock = fakeClock(NOW);
  createWorkspace(store, clock, 'w');
  grantCredit(store, clock, 'w', 10n ** 30n);
  grantCredit(store, clock, 'w', -5n);
  changeWorkspace(store, clock, 'w', { budget: 10n ** 37n, models: ['m', 'other'] });
  createWorkspace(store, clock, 'never-charged');
  createWorkspace(store, clock, 'charged-nothing');
  changeWorkspace(store, clock, 'charged-nothing', { name: 'Größe 8' });
  closeWorkspace(store, clock, 'charged-nothing');
  const live = createKey(store, clock, 'w', null).key;
  createKey(store, clock, 'w', NOW + DAY_MS);
  revokeKey(store, clock, createKey(store, clock, 'w').key.id);
  rollKey(store, clock, createKey(store, clock, 'w').key.id);
  const expired = createKey(store, clock, 'never-charged').key;
  store.change(() => {
    putKey(store, { ...expired, name: 'a name', expires: NOW - DAY_MS });
    store.table('key_uses').put([live.id], { used: NOW });
    const account = { charged: '0', month: '2026-05', monthCharged: '0' };
    store.table('accounts').put(['charged-nothing'], account);
  });
  return live.id;
}

const batchIn = (state: Batch['state'], key: string, number: number, now: number): Stored => ({
  id: `batch_${randomLetters(24)}`,
  key,
  number: number * 3,
  state,
  lines: 11,
  results: state === 'queued' || state === 'failed' ? 0 : 6,
  now,
});

function* batchWrites(store: Store, sealer: Sealer, batch: Stored): Generator<RawWrite> {
  const { id, key, number, lines, results, state, chunkLines = CHUNK_LINES, resultBytes = 0 } = batch;
  const { key: dataKey, write } = sealer.newDataKey(id);
  const row = rowOf(batch);
  const isFinished = row.finished !== null;
  yield store.table('batches').write([id], row);
  yield store.table('batch_order').write([key, number], id);
  if (row.deleted) return;
  yield write();
  const sealed = (table: 'batch_lines' | 'batch_ids' | 'batch_results', at: number, text: string) =>
    store.table(table).write([id, at], seal(dataKey, placeOf(table, id, at), Buffer.from(text)));
  for (let chunk = 0; chunk * chunkLines < lines; chunk += 1) {
    const first = chunk * chunkLines;
    const ids = Array.from({ length: Math.min(chunkLines, lines - first) }, (_, at) => `line-${first + at}`);
    yield sealed('batch_ids', chunk, JSON.stringify({ first, ids: ids.map((each) => [each, 'm']) }));
    if (!isFinished) yield sealed('batch_lines', chunk, ids.map((each) => line(each)).join('\n'));
  }
  for (let line = 0; line < results; line += 1) {
    const result = { custom_id: `line-${line}`, status: 200, filling: 'x'.repeat(resultBytes) };
    yield sealed('batch_results', line, JSON.stringify(result));
  }
  if (state === 'running')
    yield store
      .table('batch_aborts')
      .write([id, lines - 1], { count: 1, last: 'abort "1"', reason: 'a\nb ü' });
  if (row.webhook !== null) {
    const address = Buffer.from('https://example.com/hook');
    const value = seal(dataKey, placeOf('batch_webhooks', id), address);
    yield store.table('batch_webhooks').write([id], value);
  }
}

function rowOf({
  id,
  key,
  number,
  state,
  lines,
  results,
  chunkLines = CHUNK_LINES,
  now,
  more,
}: Stored): Batch {
  const isFinished = state === 'done' || state === 'failed' || state === 'cancelled';
  return {
    id,
    key,
    workspace: 'w',
    number,
    state,
    lines,
    chunks: Math.ceil(lines / chunkLines),
    done: results,
    failed: isFinished ? lines - results : 0,
    models: ['m', 'other, "model"'],
    created: now - DAY_MS,
    started: results > 0 ? now - 1 : null,
    finished: isFinished ? now : null,
    expires: now + DAY_MS,
    collected: state === 'done' ? now : null,
    reason: state === 'failed' ? 'no_line_answered' : null,
    estimate: { amount: '12345678901234567890', inputTokens: 2 ** 40, rate: 0.1234 },
    webhook: webhookOf(state, now, more),
    called: state === 'done' && !more?.deleted ? { outcome: 'status_503' } : undefined,
    deleted: false,
    stored: { lines: 4_096, other: 2 ** 33 },
    ...more,
  };
}

/** Of a done batch, a webhook that failed and is due again; of a failed one, a webhook without further calls. */
function webhookOf(state: Batch['state'], now: number, more?: Partial<Batch>): Batch['webhook'] {
  if (more?.deleted) return null;
  if (state === 'done') return { attempts: 2, due: now + 1_000 };
  return state === 'failed' ? { attempts: 0, due: null } : null;
}

const SHADOW = { version: 2, live: 'm-1', shadow: 'm-2', since: NOW, questions: [NO_SHADOW_ANSWERS] };

/** A task of two versions. */
function taskWrites(store: Store, sealer: Sealer): RawWrite[] {
  const { key: dataKey, write } = sealer.newDataKey('task_full');
  const questions = '{"q":{"type":"noul"}}';
  const settings = {
    model: 'm',
    description: 'full',
    targetError: 0.05,
    confidence: 0.95,
    shadow: null,
    fits: [],
  };
  const counts = { version: 2, bytes: 2 * questions.length };
  const task = {
    id: 'task_full',
    workspace: 'w',
    name: 'a:b',
    created: NOW,
    changed: NOW,
    ...counts,
    ...settings,
  };
  const before = { ...task, model: null, version: 1 };
  const history = [{ created: NOW, model: before.model }];
  const puts = [
    sealPut(dataKey, before, null, [], questions),
    sealPut(dataKey, task, before, history, questions),
  ];
  return [
    write(),
    ...puts.flatMap(({ row, versions }) => [
      store.table('tasks').write(['w', 'a:b'], row),
      ...versions.map(([version, sealed]) => store.table('task_versions').write([task.id, version], sealed)),
    ]),
    // The last numbers of 32 bits, and the first beyond.
    ...[2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32].flatMap((number) => answerWrites(store, dataKey, task, number)),
    store.table('task_fits').write([task.id, 'm-1'], sealFit(dataKey, task, 'm-1', '{}')),
    store.table('task_shadows').write([task.id], sealShadow(dataKey, task, SHADOW)),
    store
      .table('task_monitors')
      .write([task.id, 'm-1'], sealMonitor(dataKey, task, 'm-1', monitorOf(fitOf(task)))),
  ];
}

function answerWrites(store: Store, dataKey: Buffer, task: Task, number: number): RawWrite[] {
  const answer = { reference: `req_${number}`, version: 2, build: 'm-1', probabilities: [[0.25, 0.75]] };
  const row = sealAnswer(dataKey, task, answer, NOW);
  return [
    store.table('task_answers').write([task.id, number], row),
    store.table('task_refs').write([task.id, row.ref], number),
    store.table('task_labels').write([task.id, row.ref], labelRow(dataKey, task, row)),
  ];
}

function labelRow(dataKey: Buffer, task: Task, row: AnswerRow): LabelRow {
  const rows = new LabelRows(dataKey, task, NOW);
  const label = { line: 1, reference: 'any', expected: { q: 1 }, answer: null };
  rows.add(label, row.ref, { label: undefined, answer: row });
  return rows.rows.get(row.ref) as LabelRow;
}

/** Counters of two prices and kinds, whose amounts are those of the account. */
function chargeWrites(store: Store, key: string, lines: number): RawWrite[] {
  const counters = [
    { day: '2026-04-30', kind: 'live', price: 2n * PRICE, requests: 3 },
    { day: '2026-05-10', kind: 'live', price: 9n, requests: 1 },
    { day: '2026-05-10', kind: 'live', price: 10n, requests: 1 },
    { day: '2026-05-10', kind: 'batch', price: PRICE, requests: lines },
  ].map((each) => ({ ...each, amount: each.price * BigInt(each.requests * TOKENS) }));
  const sum = (all: typeof counters) => all.reduce((total, { amount }) => total + amount, 0n).toString();
  const account = {
    charged: sum(counters),
    month: '2026-05',
    monthCharged: sum(counters.filter(({ day }) => day.startsWith('2026-05'))),
  };
  return [
    store.table('accounts').write(['w'], account),
    ...counters.map(({ day, kind, price, requests, amount }) =>
      store.table('usage').write(['w', day, key, 'm', kind, price.toString()], {
        requests,
        inputTokens: requests * TOKENS,
        amount: amount.toString(),
      }),
    ),
  ];
}

const submissionWrites = (store: Store, key: string, batches: readonly Stored[]): RawWrite[] =>
  batches.slice(0, 2).map(({ id }, at) =>
    store.table('submissions').write([key, `${at}`.repeat(64)], {
      batch: id,
      body: 'f'.repeat(64),
      at: NOW,
    }),
  );
