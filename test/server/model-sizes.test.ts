import { test } from 'tap';
import { usableCores } from '../../src/base/index.js';
import { type ManifestModel, settingsOf } from '../../src/engine/index.js';
import { placeModel, prepareEngine } from '../../src/server/index.js';
import { loadSettings, SETTINGS } from '../../src/settings/index.js';
import { buildOf } from '../support/engine.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const engineOf = (engine: ManifestModel['engine']) => buildOf('/model.gguf', engine && { engine }).model;

test('a model has the cells and contexts that the manifest gives it, and otherwise those of the settings', async (t) => {
  const { engine } = loadSettings({ DECIDER_ENGINE_BACKEND: 'cpu', DECIDER_ENGINE_CELLS: '4096' }, undefined);
  const prepared = prepareEngine(engine, () => {});
  const place = (own: ManifestModel['engine']) => placeModel(prepared, engine, engineOf(own));
  t.match(place(undefined), { bounds: { cells: 4_096 }, contexts: 1, devices: [''] });
  t.match(place({ cells: 512 }), { bounds: { cells: 512 }, contexts: 1 });
  t.match(place({ contexts: 3 }), { bounds: { cells: 4_096 }, contexts: 3 });
  t.match(place({ wave_tokens: 128, sequences: 9 }), {
    bounds: { waveTokens: 128, sequences: 9, cells: 4_096 },
  });
  t.equal(place({ threads: 1 }).threads, 1);
  t.equal(place({ threads: 512 }).threads, usableCores());
});

test('on a GPU of its own, a model has the sizes and threads of a GPU', async (t) => {
  const { engine } = loadSettings({ DECIDER_ENGINE_BACKEND: 'cpu' }, undefined);
  const prepared = prepareEngine(engine, () => {});
  const gpu = {
    name: 'CUDA1',
    description: '',
    gpu: true,
    integrated: false,
  };
  const place = (name: string) =>
    placeModel({ ...prepared, usable: [gpu] }, engine, engineOf({ devices: [name] }));
  t.match(place('CUDA1'), { devices: ['CUDA1'], contexts: 2, bounds: { waveTokens: 2_048 } });
  t.throws(() => place('CUDA7'), {
    name: 'BackendError',
    message: 'The manifest, tiny: engine.devices: no GPU is named "CUDA7". Found: CUDA1.',
  });
});

test('the manifest and the settings have the same bounds', async (t) => {
  const { cells, contexts, wave_tokens, sequences, threads } = SETTINGS.engine;
  t.equal(wave_tokens.kind, 'integer, 0 to 65536');
  t.equal(sequences.kind, 'integer, 2 to 255');
  t.equal(threads.kind, 'integer, 0 to 512');
  t.equal(cells.kind, 'integer, 256 to 1048576');
  t.equal(contexts.kind, 'integer, 0 to 8');
  t.strictSame(settingsOf(engineOf({ cells: 256, contexts: 8, devices: ['x'] }), { cells: 1, contexts: 1 }), {
    cells: 256,
    contexts: 8,
  });
});

test('a server with a model of its own sizes: its engine threads, and its longest prompt', async (t) => {
  const models = modelsFolder(t.testdir(), {}, { engine: { cells: 256, contexts: 2 } });
  const server = await startTestServer(t, {}, models);
  t.equal(server.engines.get('tiny-20260101')?.laneCount, 2);
  const ask = (words: number) =>
    server.ask({ state: 'word '.repeat(words), questions: { q: { type: 'noul', instructions: 'Is it?' } } });
  t.ok((await ask(5)).answers);
  t.match(JSON.stringify(await ask(400)), /context window of 256 tokens/);
});

test('a server with a model on a GPU that does not exist does not start', async (t) => {
  const models = modelsFolder(t.testdir(), {}, { engine: { devices: ['CUDA0'] } });
  await t.rejects(startTestServer(t, {}, models), {
    name: 'BackendError',
    message: 'The manifest, tiny: engine.devices: no GPU is named "CUDA0". Found: none.',
  });
});
