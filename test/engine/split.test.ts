import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { tinyModel } from '../../models/tiny/index.js';
import {
  bytesOf,
  Catalog,
  checkModel,
  filesOf,
  readManifest,
  verifyChecksum,
} from '../../src/engine/index.js';
import { SPLIT_FILES_MAX, splitNames } from '../../src/engine/models/manifest-schema.js';
import { splitName, splitTinyModel } from '../support/split-gguf.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** A models folder with a split model; `change` edits the build in its manifest. */
function splitFolder(folder: string, change: (build: Record<string, unknown>) => object = (build) => build) {
  const files = splitTinyModel(3).map((bytes, at) => {
    const file = splitName('tiny', at, 3);
    writeFileSync(join(folder, file), bytes);
    return { file, sha256: sha256(bytes) };
  });
  const model = {
    id: 'tiny',
    description: 'Split.',
    release_date: null,
    builds: [change({ date: '20260101', ...files[0], parts: files.slice(1) })],
    reads_images: false,
    price_class: 'tiny',
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ default: 'tiny', models: [model] }));
  return folder;
}

async function buildIn(folder: string) {
  return new Catalog(await readManifest(folder), folder).default;
}

const check = async (folder: string) =>
  checkModel({ backend: 'cpu', device: '', build: await buildIn(folder), threads: 1 });

test('names of a split GGUF', async (t) => {
  t.strictSame(splitNames('a/m-00002-of-00002.gguf'), ['a/m-00001-of-00002.gguf', 'a/m-00002-of-00002.gguf']);
  for (const other of ['m.gguf', 'm-00003-of-00002.gguf', 'm-00000-of-00002.gguf', 'm-1-of-2.gguf']) {
    t.equal(splitNames(other), null, other);
  }
  t.equal(splitNames(splitName('m', 0, SPLIT_FILES_MAX))?.length, SPLIT_FILES_MAX);
  t.equal(splitNames(splitName('m', 0, SPLIT_FILES_MAX + 1)), null);
});

test('a split GGUF loads by its first file and answers as the same model in one file', async (t) => {
  const folder = splitFolder(t.testdir());
  const split = await check(folder);
  const whole = tinyModel();
  writeFileSync(join(folder, 'tiny.gguf'), whole);
  const build = {
    ...(await buildIn(folder)),
    path: join(folder, 'tiny.gguf'),
    sha256: sha256(whole),
    parts: [],
  };
  const single = await checkModel({ backend: 'cpu', device: '', build, threads: 1 });
  t.strictSame(split.logits, single.logits);
});

test('every file of a split GGUF is counted and verified', async (t) => {
  const folder = splitFolder(t.testdir());
  const build = await buildIn(folder);
  t.equal(filesOf(build).length, 3);
  t.equal(
    bytesOf(build),
    splitTinyModel(3).reduce((sum, { length }) => sum + length, 0),
  );
  t.equal((await verifyChecksum(build)).length, 3);
  const last = join(folder, splitName('tiny', 2, 3));
  truncateSync(last, 100);
  await t.rejects(verifyChecksum(build), { message: /tiny-00003-of-00003\.gguf: its SHA-256 is/ });
  await t.rejects(check(folder), { message: /^\S*tiny-\d+-of-00003\.gguf: [^\n]+$/ });
  rmSync(last);
  await t.rejects(verifyChecksum(build), { message: /tiny-00003-of-00003\.gguf: no such file/ });
  await t.rejects(check(folder), { message: /^\S*tiny-\d+-of-00003\.gguf: [^\n]+$/ });
});

test('parts that do not belong to the file are refused', async (t) => {
  const refusal = async (change: (build: Record<string, unknown>) => object) => {
    try {
      await readManifest(splitFolder(t.testdir(), change));
    } catch (error) {
      return (error as Error).message;
    }
    return 'it was not refused';
  };
  const parts = (build: Record<string, unknown>) => build.parts as object[];
  t.match(
    await refusal((build) => ({ ...build, parts: parts(build).slice(0, 1) })),
    /must name tiny-00003-of-00003\.gguf/,
  );
  t.match(await refusal((build) => ({ ...build, parts: undefined })), /must name tiny-00002-of-00003\.gguf/);
  t.match(await refusal((build) => ({ ...build, parts: parts(build).toReversed() })), /must name tiny-00002/);
  t.match(await refusal((build) => ({ ...build, file: 'tiny.gguf' })), /has parts, but is not named/);
  t.match(
    await refusal((build) => ({ ...build, file: 'tiny-00002-of-00003.gguf' })),
    /name tiny-00001-of-00003\.gguf/,
  );
  t.match(
    await refusal((build) => ({ ...build, parts: [...parts(build), ...parts(build).slice(0, 1)] })),
    /more parts than/,
  );
});

test('paths in a manifest may be absolute', async (t) => {
  const folder = t.testdir({ elsewhere: {}, models: {} });
  const bytes = tinyModel();
  const file = join(folder, 'elsewhere', 'tiny.gguf');
  writeFileSync(file, bytes);
  splitFolder(join(folder, 'models'), () => ({ date: '20260101', file, sha256: sha256(bytes) }));
  const build = await buildIn(join(folder, 'models'));
  t.equal(build.path, file);
  await verifyChecksum(build);
});
