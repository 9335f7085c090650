import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Test, test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { Engine, EnginePool, type Plan } from '../../src/engine/index.js';
import { BOUNDS, buildOf } from '../helpers/engine.js';

const plan = (tokens: number): Plan => ({
  prefix: Int32Array.from({ length: tokens }, (_, i) => 300 + (i % 1_000)),
  leaves: [{ tokens: Int32Array.of(400, 401), options: Int32Array.of(500, 501) }],
});

async function start(t: Test, size = 1) {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  const pool = new EnginePool(
    { backend: 'cpu', device: '', build: buildOf(path), bounds: BOUNDS, threads: 1 },
    size,
  );
  await pool.ready();
  t.teardown(() => pool.close());
  return pool;
}

test('a thread ended in the middle of a wave: its plans fail, the process and the pool go on', async (t) => {
  const pool = await start(t);
  const before = await pool.run([plan(50)]);
  // Eight thousand tokens take a second or more; the thread is inside llama.cpp while it is ended.
  const long = pool.run([plan(8_000)]);
  long.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  await pool.threads[0]?.terminate();
  await t.rejects(long, /exited/);
  t.strictSame(await pool.run([plan(50)]), before);
});

test('a thread ended inside llama_decode: the process goes on', async (t) => {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  const worker = new Worker(new URL('./decode-forever.js', import.meta.url), { workerData: path });
  await once(worker, 'message');
  t.equal(await worker.terminate(), 1);
  const pool = await start(t);
  t.equal((await pool.run([plan(50)])).length, 1);
});

test('cancelAll ends the wave under way', async (t) => {
  const pool = await start(t);
  const long = pool.run([plan(8_000)]);
  pool.cancelAll();
  await t.rejects(long, { message: /cancelled/ });
});

test('threads that share the weights answer alike', async (t) => {
  const pool = await start(t, 3);
  for (let round = 0; round < 3; round++) {
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => pool.run([plan(80)])));
    for (const other of others) t.strictSame(other, first);
  }
});

test('a model that does not load: ready() says why', async (t) => {
  const pool = new EnginePool(
    { backend: 'cpu', device: '', build: buildOf('/nowhere.gguf'), bounds: BOUNDS, threads: 1 },
    1,
  );
  t.teardown(() => pool.close());
  await t.rejects(pool.ready(), /nowhere\.gguf/);
});

/** A pool whose waves end when the test says so. */
function manualPool(size: number) {
  const waves: Array<{ plans: readonly Plan[]; resolve(): void; reject(error: Error): void }> = [];
  return {
    waves,
    size,
    run: (plans: readonly Plan[]) =>
      new Promise<readonly Float32Array[][]>((resolve, reject) => {
        waves.push({
          plans,
          reject,
          resolve: () => resolve(plans.map(({ prefix }) => [Float32Array.of(prefix.length)])),
        });
      }),
  };
}

const idle = () => new AbortController().signal;

test('engine: what arrives while a wave runs forms the next one, oldest first', async (t) => {
  const pool = manualPool(1);
  const engine = new Engine(pool, BOUNDS, 10);
  const answers = [1, 2, 3].map((length) => engine.run(plan(length), idle()));
  t.strictSame(
    pool.waves.map(({ plans }) => plans.length),
    [1],
  );
  pool.waves[0]?.resolve();
  t.strictSame(await answers[0], [Float32Array.of(1)]);
  t.strictSame(
    pool.waves.map(({ plans }) => plans.length),
    [1, 2],
  );
  pool.waves[1]?.resolve();
  t.strictSame(await Promise.all(answers.slice(1)), [[Float32Array.of(2)], [Float32Array.of(3)]]);
});

test('overloaded: at the bound of the queue a plan waits, one past it is refused at once', async (t) => {
  const pool = manualPool(1);
  const engine = new Engine(pool, BOUNDS, 2);
  const accepted = [1, 2, 3].map((length) => engine.run(plan(length), idle()));
  const refused = await engine.run(plan(4), idle()).catch((error: unknown) => error);
  t.match(refused, { type: 'overloaded', headers: { retryAfterSeconds: 1 } });
  pool.waves[0]?.resolve();
  await accepted[0];
  pool.waves[1]?.resolve();
  await Promise.all(accepted);
});

test('engine: a caller that leaves before its wave costs nothing', async (t) => {
  const pool = manualPool(1);
  const engine = new Engine(pool, BOUNDS, 10);
  const first = engine.run(plan(1), idle());
  const caller = new AbortController();
  const gone = engine.run(plan(2), caller.signal);
  caller.abort(new Error('gone'));
  await t.rejects(gone, { message: 'gone' });
  pool.waves[0]?.resolve();
  await first;
  t.equal(pool.waves.length, 1, 'no wave was made for it');
  await t.rejects(engine.run(plan(1), AbortSignal.abort(new Error('left'))), { message: 'left' });
});

test('engine: a wave that fails fails its plans only', async (t) => {
  const pool = manualPool(1);
  const engine = new Engine(pool, BOUNDS, 10);
  const lost = engine.run(plan(1), idle());
  const next = engine.run(plan(2), idle());
  pool.waves[0]?.reject(new Error('broken'));
  await t.rejects(lost, { message: 'broken' });
  pool.waves[1]?.resolve();
  t.strictSame(await next, [Float32Array.of(2)]);
});
