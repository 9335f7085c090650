import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { systemClock } from '../../src/base/index.js';
import { openModel } from '../../src/engine/index.js';
import { mixedPlans } from '../../src/tuning/choice/workload.js';
import { engineOpener, holdOpened, judgeNumerics } from '../../src/tuning/index.js';
import { probeBackend } from '../../src/tuning/process/probe-backend.js';
import { fitCosts } from '../../src/tuning/speed/fit-costs.js';
import { runGroups } from '../../src/tuning/verification/run-workloads.js';
import { addon, buildOf, COLD } from '../support/engine.js';

const BOUNDS = {
  cells: 1_024,
  waveTokens: 256,
  microBatchTokens: 128,
  microBatchTokensMin: 64,
  sequences: 64,
};
const MS = 120_000;

test('processes measure the answers of a backend, its decodes, and a real engine runs requests', async (t) => {
  const path = join(t.testdir(), 'tiny.gguf');
  writeTinyModel(path, { layers: 2, globalEvery: 2 });
  const setup = { backend: 'cpu', device: '', build: buildOf(path), bounds: BOUNDS, threads: 1 } as const;
  const reference = await probeBackend(setup, { kind: 'reference', prompts: BOUNDS, count: 16, ms: 0 }, MS);
  t.equal(reference.length, 16);
  const answers = await probeBackend(setup, { kind: 'answers', count: 16 }, MS);
  t.strictSame(judgeNumerics(reference, answers, 2).refusals, []);
  const { decodes, waves } = await probeBackend(setup, { kind: 'speed', ms: 0 }, MS);
  t.ok(decodes.length > 8 && decodes.every(({ ms }) => ms.length === 3));
  const { costs } = fitCosts(decodes, waves);
  t.ok(Object.values(costs).every((value) => Array.isArray(value) || value >= 0));
  const model = openModel(addon, '', setup.build, { sizesOnly: true });
  const loaded = openModel(addon, '', setup.build);
  t.strictSame(model.description, loaded.description);
  t.strictSame(mixedPlans(model, BOUNDS.cells, 2), mixedPlans(loaded, BOUNDS.cells, 2));
  addon.closeModel(loaded.handle);
  t.teardown(() => addon.closeModel(model.handle));
  const open = engineOpener(setup, COLD, null, () => []);
  const engine = await open({ wave_tokens: 128, contexts: 1, sequences: 64, threads: 1, batch_percent: 20 });
  t.ok((await runGroups([mixedPlans(model, BOUNDS.cells, 2)], engine, systemClock)) > 0);
  await engine.close();
  // A server would not start with these settings either.
  const full = engineOpener(setup, COLD, null, () => [{ device: 'GPU0', free: 0, total: 1 }]);
  const choice = { wave_tokens: 128, contexts: 1, sequences: 64, threads: 1, batch_percent: 20 };
  await t.rejects(full(choice), { name: 'MemoryError' });
});

test('weights are held from the first engine that is opened on, once', async (t) => {
  const calls: string[] = [];
  const hold = () => {
    calls.push('hold');
    return () => void calls.push('free');
  };
  const choice = { wave_tokens: 128, contexts: 1, sequences: 64, threads: 1, batch_percent: 20 };
  const open = async () => {
    calls.push('open');
    throw new Error('no memory');
  };
  const engines = holdOpened(open, hold);
  engines.release();
  for (let time = 0; time < 2; time++) await t.rejects(engines.open(choice), { message: 'no memory' });
  engines.release();
  t.strictSame(calls, ['hold', 'open', 'open', 'free']);
  const fails = holdOpened(open, () => {
    throw new Error('no weights');
  });
  await t.rejects(fails.open(choice), { message: 'no weights' });
  fails.release();
});

test('a process that takes too long is ended', async (t) => {
  // A FIFO without a writer: the process waits until it is ended.
  const path = join(t.testdir({}), 'fifo');
  execFileSync('mkfifo', [path]);
  const setup = { backend: 'cpu', device: '', build: buildOf(path), bounds: BOUNDS, threads: 1 } as const;
  await t.rejects(probeBackend(setup, { kind: 'answers', count: 16 }, 1), {
    message: 'it did not finish within 0 s',
  });
});
