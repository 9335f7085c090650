import { test } from 'tap';
import { readManifest } from '../../src/engine/index.js';
import { writeEngine } from '../../src/tuning/index.js';
import { modelsFolder } from '../support/server.js';

const CHOICE = { wave_tokens: 128, contexts: 1, sequences: 64, threads: 2, batch_percent: 10 };
const TUNED = { device: 'a processor, 2 cores', date: '2026-12-01', goal: 'latency' } as const;

test('settings are written to the engine of a model, beside what tuning does not choose', async (t) => {
  const models = modelsFolder(t.testdir());
  const engineOf = async () => (await readManifest(models)).models[0]?.engine;
  await writeEngine(models, 'tiny', { ...CHOICE, wave_tokens: 64 }, TUNED);
  t.strictSame(await engineOf(), { ...CHOICE, wave_tokens: 64, tuned: TUNED });
  await writeEngine(models, 'tiny', CHOICE, { ...TUNED, goal: 'throughput' });
  t.strictSame(await engineOf(), { ...CHOICE, tuned: { ...TUNED, goal: 'throughput' } });
  await t.rejects(writeEngine(models, 'other', CHOICE, TUNED), {
    message: `write: the manifest of ${models} has no model other. Nothing was written.`,
  });
});
