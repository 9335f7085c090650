import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { Catalog, type CatalogBuild, editManifest, readManifest } from '../../src/engine/index.js';
import { writeEngine } from '../../src/tuning/index.js';
import { modelsFolder } from '../support/server.js';

const CHOICE = { wave_tokens: 128, contexts: 1, sequences: 64, threads: 2, batch_percent: 10 };
const TUNED = { device: 'a processor, 2 cores', date: '2026-12-01', goal: 'latency' } as const;

const buildIn = async (models: string): Promise<CatalogBuild> =>
  new Catalog(await readManifest(models), models).default;

test('settings are written to the engine of a model, beside what tuning does not choose', async (t) => {
  const models = modelsFolder(t.testdir());
  const build = await buildIn(models);
  const engineOf = async () => (await readManifest(models)).models[0]?.engine;
  await writeEngine(models, build, { ...CHOICE, wave_tokens: 64 }, TUNED);
  t.strictSame(await engineOf(), { ...CHOICE, wave_tokens: 64, tuned: TUNED });
  await writeEngine(models, build, CHOICE, { ...TUNED, goal: 'throughput' });
  t.strictSame(await engineOf(), { ...CHOICE, tuned: { ...TUNED, goal: 'throughput' } });
});

test('what was changed in the manifest during the measurement stays', async (t) => {
  const models = modelsFolder(t.testdir(), {}, { engine: { cells: 512 } });
  const build = await buildIn(models);
  const after = await editManifest(models, (manifest) => ({
    ...manifest,
    models: manifest.models.map((model) => ({
      ...model,
      description: 'Another one.',
      temperatures: { noul: 2 },
      engine: { cells: 1_024 },
    })),
  }));
  await writeEngine(models, build, CHOICE, TUNED);
  const [model] = after.models;
  t.strictSame((await readManifest(models)).models, [
    { ...model, engine: { cells: 1_024, ...CHOICE, tuned: TUNED } },
  ]);
});

test('a build that was removed or replaced during the measurement gets no settings', async (t) => {
  const models = modelsFolder(t.testdir(), {}, {}, 'gemma4v');
  const build = await buildIn(models);
  const before = await readManifest(models);
  const { projector } = build;
  for (const measured of [
    { ...build, sha256: '0'.repeat(64) },
    { ...build, projector: projector && { ...projector, sha256: '0'.repeat(64) } },
    { ...build, parts: [{ path: 'part', sha256: '0'.repeat(64) }] },
  ])
    await t.rejects(writeEngine(models, measured, CHOICE, TUNED), {
      message: `write: ${build.id} has other files in the manifest of ${models} than those that were measured. Nothing was written.`,
    });
  await t.rejects(writeEngine(models, { ...build, id: 'tiny-20260102' }, CHOICE, TUNED), {
    message: `write: the manifest of ${models} has no build tiny-20260102. Nothing was written.`,
  });
  t.strictSame(await readManifest(models), before);
  rmSync(join(models, 'manifest.json'));
  await t.rejects(writeEngine(models, build, CHOICE, TUNED), /manifest\.json/);
});
