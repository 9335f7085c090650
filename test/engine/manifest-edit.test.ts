import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'tap';
import { editManifest, type Manifest } from '../../src/engine/index.js';
import { editOrCreateManifest } from '../../src/engine/models/manifest-edit.js';
import { child } from '../support/child.js';

const MANIFEST: Manifest = {
  default: 'tiny',
  models: [
    {
      id: 'tiny',
      description: 'A tiny model.',
      release_date: null,
      builds: [{ date: '20260101', file: 'tiny.gguf', sha256: 'a'.repeat(64) }],
      reads_images: false,
      price_class: 'tiny',
    },
  ],
};
const EDITOR = new URL('../support/engine/edit-manifest.js', import.meta.url);

function folderOf(t: { testdir(fixture: Record<string, string>): string }): string {
  return t.testdir({ 'manifest.json': JSON.stringify(MANIFEST) });
}

const described = (description: string) => (manifest: Manifest) => ({
  ...manifest,
  models: manifest.models.map((model) => ({ ...model, description })),
});

test('an edit replaces the file as 2-space JSON, keeps its mode and leaves no temporary file', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'manifest.json');
  chmodSync(file, 0o640);
  // Left by a process that was killed.
  writeFileSync(`${file}.new`, '{');
  const edited = await editManifest(folder, described('New.'));
  t.equal(readFileSync(file, 'utf8'), `${JSON.stringify(described('New.')(MANIFEST), null, 2)}\n`);
  t.strictSame(edited, JSON.parse(readFileSync(file, 'utf8')));
  t.equal(statSync(file).mode & 0o777, 0o640);
  t.strictSame(readdirSync(folder).sort(), ['manifest.json', 'manifest.json.lock']);
});

test('an edit keeps the owner; one that cannot is refused', async (t) => {
  if (process.getuid?.() !== 0) return t.comment('SKIPPED: only root can change owners');
  const folder = folderOf(t);
  const file = join(folder, 'manifest.json');
  chownSync(file, 4_321, 8_765);
  await editManifest(folder, described('New.'));
  t.match(statSync(file), { uid: 4_321, gid: 8_765 });
  const text = readFileSync(file, 'utf8');
  chmodSync(folder, 0o777);
  chmodSync(file, 0o644);
  chmodSync(`${file}.lock`, 0o666);
  process.seteuid?.(5_555);
  try {
    await t.rejects(editManifest(folder, described('Newer.')), {
      name: 'ModelError',
      message:
        /manifest\.json belongs to user 4321 and group 8765, .* \(EPERM\)\. Run the command as that user\.$/,
    });
  } finally {
    process.seteuid?.(0);
  }
  t.equal(readFileSync(file, 'utf8'), text);
  t.notOk(existsSync(`${file}.new`));
});

test('an edit that returns the same manifest writes nothing', async (t) => {
  const folder = folderOf(t);
  const before = readFileSync(join(folder, 'manifest.json'), 'utf8');
  await editManifest(folder, (manifest) => manifest);
  t.equal(readFileSync(join(folder, 'manifest.json'), 'utf8'), before);
});

test('a manifest that is a link: the file it leads to is replaced', async (t) => {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'other'));
  renameSync(join(folder, 'manifest.json'), join(folder, 'other', 'real.json'));
  symlinkSync('other/real.json', join(folder, 'manifest.json'));
  await editManifest(folder, described('New.'));
  t.match(readFileSync(join(folder, 'other', 'real.json'), 'utf8'), /"New\."/);
});

test('an edit with an invalid result, or that throws, leaves the file as it is', async (t) => {
  const folder = folderOf(t);
  const before = readFileSync(join(folder, 'manifest.json'), 'utf8');
  await t.rejects(
    editManifest(folder, () => ({ ...MANIFEST, default: 'other' })),
    { name: 'ModelError', message: /manifest\.json was not changed: default names other/ },
  );
  await t.rejects(editManifest(folder, described('')), {
    message: /manifest\.json was not changed: models\.0\.description /,
  });
  await t.rejects(
    editManifest(folder, () => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  t.equal(readFileSync(join(folder, 'manifest.json'), 'utf8'), before);
  await editManifest(folder, described('New.'));
  t.pass('the lock is free');
});

test('an edit that is in force does not fail because its folder cannot be flushed', async (t) => {
  const folder = folderOf(t);
  const { fsyncSync } = fs;
  fs.fsyncSync = (descriptor) => {
    if (fs.fstatSync(descriptor).isDirectory()) throw new Error('EINVAL');
    fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
  t.teardown(() => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  });
  await editManifest(folder, described('New.'));
  t.match(readFileSync(join(folder, 'manifest.json'), 'utf8'), /"New\."/);
});

test('an invalid manifest is not edited', async (t) => {
  const folder = t.testdir({ 'manifest.json': '{"default": 1}' });
  await t.rejects(editManifest(folder, described('')), { name: 'ModelError', message: /manifest\.json: / });
  t.equal(readFileSync(join(folder, 'manifest.json'), 'utf8'), '{"default": 1}');
});

test('a folder that cannot be written to is named, with the remedy', async (t) => {
  const folder = folderOf(t);
  await t.rejects(editManifest(join(folder, 'none'), described('')), {
    name: 'ModelError',
    message: /none\/manifest\.json cannot be changed: ENOENT.*must be writable/,
  });
  // A folder in place of the temporary file, so that it also fails for root.
  mkdirSync(join(folder, 'manifest.json.new'));
  await t.rejects(editManifest(folder, described('New.')), {
    name: 'ModelError',
    message: /manifest\.json cannot be changed: .*DECIDER_MODELS/,
  });
  t.strictSame(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')), MANIFEST);
});

test('the first manifest of a folder is created', async (t) => {
  const folder = t.testdir({});
  await editOrCreateManifest(folder, (before) => {
    t.equal(before, null);
    return MANIFEST;
  });
  await editOrCreateManifest(folder, (before) => described('New.')(before as Manifest));
  t.equal(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).models[0].description, 'New.');
});

test('processes and calls that edit together lose no edit, and readers see whole files', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'manifest.json');
  const editors = [0, 1].map((at) => child(t, EDITOR, [folder, `process-${at}`, '20']));
  const add = (id: string) => (manifest: Manifest) => ({
    ...manifest,
    models: manifest.models.map((model) => ({ ...model, answers_for: [...(model.answers_for ?? []), id] })),
  });
  const here = Promise.all(Array.from({ length: 20 }, (_, at) => editManifest(folder, add(`here-${at}`))));
  let ended = false;
  const all = Promise.all([here, ...editors.map((editor) => editor.end())]).then(() => {
    ended = true;
  });
  while (!ended) {
    t.equal(JSON.parse(readFileSync(file, 'utf8')).default, 'tiny');
    await new Promise(setImmediate);
  }
  await all;
  t.equal(JSON.parse(readFileSync(file, 'utf8')).models[0].answers_for.length, 60);
  t.notOk(existsSync(`${file}.new`));
});
