import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { writeTinyModel } from '../../models/tiny/index.js';
import { addon } from '../support/engine.js';

test('a model is loaded while another one is: neither waits for the other', async (t) => {
  const folder = t.testdir();
  const [first, second] = [join(folder, 'first.gguf'), join(folder, 'second.gguf')];
  writeTinyModel(first, {});
  copyFileSync(first, second);
  let other: ReturnType<typeof addon.openModel> | null = null;
  // If loading waited for any other model, this thread would wait for itself.
  const model = addon.openModel({ path: first, device: '', mapped: false }, () => {
    other ??= addon.openModel({ path: second, device: '', mapped: false }, () => true);
    return true;
  });
  t.ok(other !== null);
  t.strictSame(addon.describeModel(other as unknown as typeof model), addon.describeModel(model));
});
