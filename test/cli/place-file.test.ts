import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { placeFile, takeBack } from '../../src/cli/place-file.js';
import { sha256 } from '../support/hub/stub.js';
import { modelsFolder } from '../support/server.js';

const BYTES = Buffer.from('GGUF bytes');

function setUp(t: Test) {
  const files = t.testdir();
  const source = join(files, 'source.gguf');
  writeFileSync(source, BYTES);
  const folder = modelsFolder(files);
  const target = join(folder, 'chat-20260203', 'chat.gguf');
  const place = (stop = new AbortController().signal) =>
    placeFile(folder, { source, target, sha256: sha256(BYTES) }, stop);
  return { folder, target, place };
}

test('a file is placed whole; the same contents are used, others are refused and stay', async (t) => {
  const { target, place } = setUp(t);
  t.equal(await place(), statSync(target, { bigint: true }).ino);
  t.equal(await place(), null);
  t.strictSame(readFileSync(target), BYTES);
  rmSync(target);
  writeFileSync(target, 'other');
  await t.rejects(place(), { message: /chat\.gguf exists already, with other contents than .*source\.gguf/ });
  t.equal(readFileSync(target, 'utf8'), 'other');
  t.strictSame(readdirSync(join(target, '..')), ['chat.gguf']);
});

test('a file with the longest name is placed', async (t) => {
  const folder = modelsFolder(t.testdir());
  const name = `${'n'.repeat(250)}.gguf`;
  const [source, target] = [join(t.testdirName, name), join(folder, 'chat-20260203', name)];
  writeFileSync(source, BYTES);
  await placeFile(folder, { source, target, sha256: sha256(BYTES) }, new AbortController().signal);
  t.strictSame(readFileSync(target), BYTES);
});

test('files placed together: exactly one call makes the file', async (t) => {
  const { target, place } = setUp(t);
  const made = await Promise.all(Array.from({ length: 8 }, () => place()));
  t.equal(made.filter((inode) => inode !== null).length, 1);
  t.strictSame(readdirSync(join(target, '..')), ['chat.gguf']);
});

test('a stop leaves no file and no folder', async (t) => {
  const { target, place } = setUp(t);
  await t.rejects(place(AbortSignal.abort(new Error('stopped'))), { message: 'stopped' });
  t.notOk(existsSync(join(target, '..')));
});

test('only the file that was made is taken back, and only if no build names it', async (t) => {
  const { folder, target, place } = setUp(t);
  const inode = (await place()) as bigint;
  const listed = join(folder, 'tiny.gguf');
  const made = new Map([
    [target, inode + 1n],
    [listed, statSync(listed, { bigint: true }).ino],
  ]);
  await takeBack(folder, made);
  t.ok(existsSync(target), 'replaced by another file');
  t.ok(existsSync(listed), 'in the manifest');
  await takeBack(folder, new Map([[target, inode]]));
  t.notOk(existsSync(join(target, '..')));
});
