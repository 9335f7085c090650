import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { openModel } from '../../src/engine/index.js';
import { addon, buildOf } from '../support/engine.js';

test('a quantised model loads and is smaller, in every type', async (t) => {
  const folder = t.testdir();
  const from = join(folder, 'f32.gguf');
  writeTinyModel(from, { layers: 2, globalEvery: 2, type: 'f32' });
  let size = statSync(from).size;
  for (const type of ['f16', 'q8_0', 'q4_0'] as const) {
    const to = join(folder, `${type}.gguf`);
    addon.quantizeModel(from, to, type);
    t.ok(statSync(to).size < size, `${type}: ${statSync(to).size} bytes`);
    size = statSync(to).size;
    const model = openModel(addon, '', buildOf(to));
    t.match(model.description.summary, new RegExp(type, 'i'));
    addon.closeModel(model.handle);
  }
});

test('a file that is not there is an error with a reason, and writes nothing', async (t) => {
  const to = join(t.testdir(), 'to.gguf');
  t.throws(() => addon.quantizeModel(join(t.testdir(), 'none.gguf'), to, 'q8_0'), /none\.gguf/);
  t.notOk(existsSync(to));
});
