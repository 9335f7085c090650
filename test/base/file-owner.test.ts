import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { foreignFolderOwner, foreignOwner } from '../../src/base/index.js';
import { readKeyFile } from '../../src/sealing/index.js';
import { OPERATOR_TOKEN_FILE, operatorToken } from '../../src/server/operator/token.js';
import { openSecrets } from '../../src/settings/index.js';

const [SELF, OTHER, THIRD] = [1_000, 1_001, 1_002];
const KEY = 'ab'.repeat(32);
const SKIP = { skip: process.getuid?.() === 0 ? false : 'only root can change owners' };

test('a secret may belong to its reader, to root, or to the owner of its folder', SKIP, async (t) => {
  const folder = join(t.testdir({}), 'data');
  mkdirSync(folder);
  const file = join(folder, 'secret');
  const link = join(folder, 'link');
  writeFileSync(file, KEY);
  symlinkSync(file, link);
  // Owner of the folder and of the file, the user of the process, and what is found.
  const cases = [
    [0, 0, SELF, null],
    [0, SELF, SELF, null],
    [SELF, 0, SELF, null],
    [OTHER, OTHER, 0, null],
    [0, OTHER, SELF, OTHER],
    [0, OTHER, 0, OTHER],
    [SELF, OTHER, SELF, OTHER],
    [OTHER, THIRD, SELF, THIRD],
    [OTHER, THIRD, 0, THIRD],
  ] as const;
  for (const [ofFolder, ofFile, user, found] of cases) {
    chownSync(folder, ofFolder, ofFolder);
    chownSync(file, ofFile, ofFile);
    for (const each of [file, link])
      t.equal(foreignOwner(each, user), found, `${ofFolder} ${ofFile} ${user}`);
    const ofFolderFound = ofFolder === 0 || ofFolder === user ? null : ofFolder;
    t.equal(foreignFolderOwner(folder, user), ofFolderFound);
  }
  t.equal(foreignFolderOwner(join(folder, 'missing')), null);
  t.throws(() => foreignOwner(join(folder, 'missing')), { code: 'ENOENT' });
});

test('key files, tokens and configurations of a foreign owner are named', SKIP, async (t) => {
  const folder = t.testdir({});
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    return file;
  };
  const key = write('key', KEY);
  const token = write(OPERATOR_TOKEN_FILE, 'x'.repeat(43));
  const config = write('decider.json', JSON.stringify({ master_key: KEY }));
  t.equal(readKeyFile(key).toString('hex'), KEY);
  t.equal(operatorToken(folder, ''), 'x'.repeat(43));
  t.equal(openSecrets({}, config), null);
  for (const file of [key, token, config]) chownSync(file, OTHER, OTHER);
  t.throws(() => readKeyFile(key), { name: 'StoreError', message: /key belongs to user 1001,/ });
  t.throws(() => operatorToken(folder, ''), { name: 'StartError', message: /token belongs to user 1001,/ });
  t.match(openSecrets({}, config), { detail: `master_key: ${config} belongs to user ${OTHER}.` });
});
