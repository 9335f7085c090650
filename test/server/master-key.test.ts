import { lstatSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { loadSettings } from '../../src/settings/index.js';
import { openFolder } from '../../src/storage/folder/folder-storage.js';
import { dataFolder, testDependencies } from '../support/server.js';

const [GIVEN, NEXT, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32), '01'.repeat(32)];

test('a reload during a change of the master key keeps the link to the new key, until that is configured', async (t) => {
  const folder = dataFolder(t);
  const data = join(folder, 'data');
  const file = join(folder, 'new.key');
  writeFileSync(file, NEXT, { mode: 0o600 });
  const lines: string[] = [];
  const { dependencies } = testDependencies((line) => void lines.push(line));
  const settings = { ...loadSettings({ DECIDER_DATA: data }, undefined), master_key: GIVEN };
  const opened = await openFolder(settings, dependencies);
  t.teardown(() => opened.close());
  const hasLink = () =>
    lstatSync(join(data, 'master.key.next'), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const change = opened.rekey(file);
  opened.prepareMasterKey(GIVEN)();
  t.ok(hasLink(), 'during the change');
  t.throws(() => opened.prepareMasterKey(NEXT), {
    name: 'StoreError',
    message: 'The master key is being changed. Reload again when the change has ended.',
  });
  await change;
  for (const key of [GIVEN, OTHER]) {
    t.throws(() => opened.prepareMasterKey(key), {
      name: 'StoreError',
      message: /^master_key is not the current master key\. Configure the new one/,
    });
  }
  const use = opened.prepareMasterKey(NEXT);
  t.ok(hasLink(), 'checked only');
  // A folder that cannot be read.
  renameSync(data, `${data}.moved`);
  symlinkSync('data', data);
  t.doesNotThrow(use);
  unlinkSync(data);
  renameSync(`${data}.moved`, data);
  t.match(lines.join(''), /the link to the file of the new master key cannot be removed/);
  t.ok(hasLink());
  await t.rejects(opened.rekey(file), { message: /has the current master key/ }, 'the new key is in use');
  opened.prepareMasterKey(NEXT)();
  t.ok(hasLink(), 'an unchanged key changes nothing');
});

test('a reload that configures the new master key removes the link to it', async (t) => {
  const folder = dataFolder(t);
  const data = join(folder, 'data');
  const file = join(folder, 'new.key');
  writeFileSync(file, NEXT, { mode: 0o600 });
  const settings = { ...loadSettings({ DECIDER_DATA: data }, undefined), master_key: GIVEN };
  const opened = await openFolder(settings, testDependencies().dependencies);
  t.teardown(() => opened.close());
  await opened.rekey(file);
  opened.prepareMasterKey(NEXT)();
  t.notOk(lstatSync(join(data, 'master.key.next'), { throwIfNoEntry: false }));
  t.throws(() => opened.prepareMasterKey(GIVEN), { message: /^The master key is not the one/ });
});
