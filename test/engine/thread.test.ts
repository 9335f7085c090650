import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Test, test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { EngineThread } from '../../src/engine/index.js';
import type { WaveTask } from '../../src/engine/wave/task.js';
import { addon, BOUNDS, buildOf } from '../support/engine.js';
import { until } from '../support/until.js';

/** A wave of one prompt on an empty context. */
const task = (tokens: number): WaveTask => ({
  clear: true,
  images: [],
  removals: [],
  phases: [
    {
      removals: [],
      copies: [],
      streams: [
        {
          tokens: Int32Array.from({ length: tokens }, (_, i) => 300 + (i % 1_000)),
          position: 0,
          sequences: [0],
          options: Int32Array.of(500, 501),
        },
      ],
    },
  ],
});

function start(t: Test, path: string) {
  const thread = new EngineThread({
    backend: 'cpu',
    device: '',
    build: buildOf(path),
    bounds: BOUNDS,
    threads: 1,
    number: 1,
  });
  t.teardown(() => thread.close());
  return thread;
}

function tiny(t: Test): string {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, {});
  return path;
}

test('a thread ended in the middle of a wave: the wave fails, another thread answers the next', async (t) => {
  const thread = start(t, tiny(t));
  const before = await thread.run(task(50));
  for (let round = 0; round < 2; round++) {
    const lost = thread.run(task(8_000));
    lost.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    await thread.worker?.terminate();
    await t.rejects(lost, /exited/);
    t.strictSame(await thread.run(task(50)), before);
  }
});

test('a thread that is terminated inside llama_decode does not end the process', async (t) => {
  const path = tiny(t);
  const worker = new Worker(new URL('../support/engine/decode-forever.js', import.meta.url), {
    workerData: path,
  });
  await once(worker, 'message');
  t.equal(await worker.terminate(), 1);
  t.equal((await start(t, path).run(task(50))).length, 1);
});

test('cancel ends the wave in progress', async (t) => {
  const thread = start(t, tiny(t));
  await thread.ready();
  const long = thread.run(task(8_000));
  thread.cancel();
  await t.rejects(long, { message: /cancelled/ });
});

/** Two sequences of which one token is at different positions: llama_decode refuses it. */
const refused: WaveTask = {
  ...task(1),
  phases: [
    {
      removals: [],
      copies: [],
      streams: [
        { tokens: Int32Array.of(5), position: 7, sequences: [0, 1], options: Int32Array.of(1) },
        { tokens: Int32Array.of(5), position: 3, sequences: [0], options: Int32Array.of(1) },
      ],
    },
  ],
};

test('after a decode that failed, the same thread makes another context before its next wave', async (t) => {
  let contexts = 0;
  addon.onLog((_, text) => {
    if (/constructing llama_context/.test(text)) contexts += 1;
  });
  t.teardown(() => addon.onLog(() => {}));
  const thread = start(t, tiny(t));
  const before = await thread.run(task(50));
  const { threadId } = thread.worker ?? {};
  for (let failures = 1; failures < 3; failures++) {
    await t.rejects(thread.run(refused), /llama_decode failed/);
    await t.rejects(thread.run(task(50)), /the context has failed/);
    await thread.ready();
    await thread.ready();
    t.strictSame(await thread.run(task(50)), before);
    await until(() => contexts > failures);
    t.equal(contexts, 1 + failures);
  }
  t.equal(thread.worker?.threadId, threadId);
});

test('threads that share the weights give the same answers', async (t) => {
  const path = tiny(t);
  const threads = [1, 2, 3].map(() => start(t, path));
  const [first, ...others] = await Promise.all(threads.map((thread) => thread.run(task(80))));
  for (const other of others) t.strictSame(other, first);
});

test('a thread reports the common beginning of all prompts', async (t) => {
  const { head } = await start(t, tiny(t)).ready();
  t.ok(head.length >= 2, `${head.length} tokens`);
});

test('a model that does not load: the thread reports the reason, each time it is asked', async (t) => {
  const thread = start(t, '/nowhere.gguf');
  await t.rejects(thread.ready(), /nowhere\.gguf/);
  await t.rejects(thread.run(task(5)), /nowhere\.gguf/);
});
