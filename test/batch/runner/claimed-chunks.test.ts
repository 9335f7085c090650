import { type Test, test } from 'tap';
import { Draft } from '../../../src/batch/draft.js';
import {
  type Batch,
  type BatchEnds,
  type BatchProgress,
  OpenBatch,
  openChunk,
  openResult,
  Runner,
} from '../../../src/batch/index.js';
import { type Ingested, ingest } from '../../../src/batch/ingest/ingest.js';
import { apply } from '../../../src/batch/lifecycle/apply.js';
import type { ChunkRange } from '../../../src/batch/runner/claimed-chunks.js';
import { randomDataKey } from '../../../src/sealing/index.js';
import { batchTasks } from '../../support/batch/batch-tasks.js';
import { fileOwner, fileTools } from '../../support/batch/ingest.js';
import { lines, turns, until, World } from '../../support/batch/world.js';

const ID = 'batch_aaaaaaaaaaaaaaaaaaaaaaaa';
const CHUNK_LINES = 256;
/** Three chunks, the last of 88 lines. */
const LINES = 600;

/** A runner whose results are kept in memory, and the chunks of one file. */
async function start(t: Test) {
  const world = await World.start(t);
  const key = { id: ID, dataKey: randomDataKey() };
  const file = await ingest(
    {
      file: Buffer.from(lines('a', LINES)),
      encoding: 'identity',
      allowedModels: null,
      tasks: null,
      batch: ID,
      dataKey: key.dataKey,
      ...fileOwner(),
    },
    fileTools(),
  );
  if (!file.ok) throw new Error(file.message);
  const results = new Map<number, string>();
  const resolved: number[] = [];
  const progressOf = (ends: BatchEnds): BatchProgress => ({
    applyEnds: () => {},
    apply: (open, event) => {
      open.batch = apply(open.batch, event, world.clock.now());
    },
    settle: (open) => {
      resolved.push(...(open.claimed?.takeResolved() ?? []));
      if (open.isResolved && open.inProgress === 0) ends.remove(open);
    },
  });
  const runner = new Runner({
    work: {
      putResult: (_, { line, sealed }) => results.set(line, openResult(key, line, sealed).toString()),
      flush: async () => {},
    },
    progress: progressOf,
    access: world.access,
    clock: world.clock,
    random: () => 0.5,
    engines: world.lineEngines(),
    tasks: batchTasks(world.tasks),
    reader: { chunk: async (task) => openChunk(task, file.chunks[task.chunk] as Ingested['chunks'][number]) },
    reports: {
      error: (error) => t.fail(String(error)),
      answered: () => {},
      failed: () => {},
      called: () => {},
    },
  });
  t.teardown(() => runner.stop());
  const ranges = rangesOf(file);
  const batch = batchOf(world, file, key.dataKey);
  return { world, key, batch, runner, results, resolved, ranges };
}

function rangesOf({ chunks }: Ingested): ChunkRange[] {
  let end = 0;
  return chunks.map(({ count: lines }, chunk) => {
    end += lines;
    return { chunk, first: end - lines, lines };
  });
}

function batchOf(world: World, file: Ingested, dataKey: Buffer): Batch {
  const caller = world.caller(world.key());
  const contents = { id: ID, caller, dataKey, file, webhook: null, idempotency: null };
  const draft = new Draft(contents, { access: world.access, engines: world.lineEngines() });
  return draft.batch(0, world.clock.now());
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

test('only the chunks to which a batch is restricted run, also those that are added', async (t) => {
  const { world, key, batch, runner, results, resolved, ranges } = await start(t);
  t.strictSame(
    ranges.map(({ first, lines: count }) => [first, count]),
    [
      [0, CHUNK_LINES],
      [CHUNK_LINES, CHUNK_LINES],
      [2 * CHUNK_LINES, LINES - 2 * CHUNK_LINES],
    ],
  );
  world.engine.answersAtOnce = false;
  const open = new OpenBatch(batch, key, { chunks: ranges.slice(1, 2) });
  runner.add(open);
  await until(() => world.engine.waiting.size >= world.engine.room);
  t.equal(open.claimed?.linesLeft, CHUNK_LINES);
  runner.extend(open, ranges.slice(2));
  t.equal(open.claimed?.linesLeft, LINES - CHUNK_LINES);
  t.strictSame(
    open.claimed?.chunks.map(({ chunk }) => chunk),
    [1, 2],
  );
  world.engine.answersAtOnce = true;
  world.engine.answerAll();
  await until(() => runner.openCount === 0);
  t.strictSame(
    [...results.keys()].sort((one, other) => one - other),
    numbers(CHUNK_LINES, LINES),
  );
  t.strictSame(resolved, [1, 2], 'each chunk is reported once');
  t.match(JSON.parse(results.get(CHUNK_LINES) ?? ''), { custom_id: `a${CHUNK_LINES}`, status: 200 });
  t.equal(open.isResolved, true);
});

test('lines that have a result do not run, and a chunk of which all have one needs no line', async (t) => {
  const { key, batch, runner, results, resolved, ranges } = await start(t);
  const known = [...numbers(0, CHUNK_LINES), ...numbers(CHUNK_LINES + 10, 2 * CHUNK_LINES)];
  const open = new OpenBatch(batch, key, { resolved: known, chunks: ranges.slice(0, 2) });
  t.match([open.claimed?.chunks, open.claimed?.linesLeft], [[{ chunk: 1 }], 10]);
  runner.add(open);
  await until(() => runner.openCount === 0);
  t.strictSame([...results.keys()], numbers(CHUNK_LINES, CHUNK_LINES + 10));
  t.strictSame(resolved, [0, 1]);
});

test('lines of a batch that is dropped are neither stored nor charged, and their room is free', async (t) => {
  const { world, key, batch, runner, results, ranges } = await start(t);
  const workspace = world.caller({ id: batch.key }).workspace;
  const before = world.access.balance(workspace);
  world.engine.answersAtOnce = false;
  const open = new OpenBatch(batch, key, { chunks: ranges });
  runner.add(open);
  await until(() => world.engine.waiting.size >= world.engine.room);
  runner.drop(open);
  t.equal(runner.openCount, 0);
  world.engine.answerAll();
  await turns();
  t.strictSame([results.size, open.inProgress, open.batch.done], [0, 0, 0]);
  t.strictSame(world.access.balance(workspace), before, 'nothing is reserved or charged');

  const again = new OpenBatch(batch, key, { chunks: ranges.slice(2) });
  world.engine.answersAtOnce = true;
  runner.add(again);
  await until(() => runner.openCount === 0);
  t.equal(results.size, LINES - 2 * CHUNK_LINES);
});

test('a batch that is not restricted takes no further chunks', async (t) => {
  const { key, batch, ranges } = await start(t);
  t.throws(() => new OpenBatch(batch, key).addChunks(ranges), { message: /run here already/ });
});
