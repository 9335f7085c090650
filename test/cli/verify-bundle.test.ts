import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { writeFolder } from '../../bundle/archive.js';
import type { Entry } from '../../bundle/contents.js';
import { BUNDLE_FORMAT, type BundleManifest, MANIFEST_BYTES_MAX } from '../../src/cli/bundle-manifest.js';
import { PROBLEMS_MAX } from '../../src/cli/verify-bundle.js';
import { run } from '../support/cli.js';

const entry = (path: string, text: string, mode: Entry['mode'] = '0644'): Entry => ({
  path,
  mode,
  part: 'program',
  content: { text },
});
const FILES = [
  entry('decider', '#!/bin/sh\n', '0755'),
  entry('dist/src/a.js', '1'),
  entry('docs/b.md', '# b'),
];

/** The folder of a bundle with these files, and its manifest. */
async function bundle(t: Test, entries: readonly Entry[] = FILES, own: Partial<BundleManifest> = {}) {
  const folder = join(t.testdir({}), 'decider-0.1.0-linux-x64-cpu');
  const manifest: BundleManifest = {
    format: BUNDLE_FORMAT,
    name: 'decider-0.1.0-linux-x64-cpu',
    version: '0.1.0',
    platform: 'linux-x64',
    backend: 'cpu',
    slim: false,
    node: '20.18.1',
    llama: 'v1',
    glibc: '2.34',
    files: await writeFolder(folder, entries),
    ...own,
  };
  await writeFolder(folder, [entry('bundle.json', JSON.stringify(manifest))]);
  return folder;
}

/** The problems that the command prints about a bundle, and its exit status. */
async function problemsOf(t: Test, folder: string) {
  const { code, stdout } = await run(t, ['verify-bundle', folder]);
  const problems = stdout.split('\n').filter((line) => line.startsWith('problem'));
  return { code, problems: problems.map((line) => line.replace(/^problem +files +/, '')) };
}

test('verify-bundle: an unpacked bundle has the files of its manifest', async (t) => {
  const folder = await bundle(t);
  const { code, stdout, stderr } = await run(t, ['verify-bundle', folder]);
  t.match({ code, stderr }, { code: 0, stderr: '' });
  const sha256 = execFileSync('sha256sum', [join(folder, 'bundle.json')], { encoding: 'utf8' }).slice(0, 64);
  const [first, second, third] = stdout.split('\n');
  t.match(first, /^ok +bundle +decider-0\.1\.0-linux-x64-cpu, Node\.js 20\.18\.1, for glibc 2\.34 or newer$/);
  t.match(second, /^ok +files +3 files with 14 B are as in bundle\.json, and there are no others$/);
  t.match(third, new RegExp(`^ok +manifest +the SHA-256 of bundle\\.json is ${sha256}\\. Compare it with `));
  const link = join(folder, '../current');
  symlinkSync(folder, link);
  t.equal((await run(t, ['verify-bundle', link])).code, 0, 'through a link');
  const { stdout: json } = await run(t, ['verify-bundle', folder, '--json']);
  t.strictSame(
    JSON.parse(json).map(({ check, ok }: { check: string; ok: boolean }) => [check, ok]),
    [
      ['bundle', true],
      ['files', true],
      ['manifest', true],
    ],
  );
});

for (const [name, change, problem] of [
  [
    'a changed byte',
    (f) => writeFileSync(join(f, 'dist/src/a.js'), '2'),
    'dist/src/a.js has another content.',
  ],
  [
    'a byte more',
    (f) => writeFileSync(join(f, 'dist/src/a.js'), '11'),
    'dist/src/a.js has 2 bytes in place of 1.',
  ],
  ['a missing file', (f) => rmSync(join(f, 'docs/b.md')), 'docs/b.md is missing.'],
  ['an added file', (f) => writeFileSync(join(f, 'dist/src/b.js'), ''), 'dist/src/b.js was added.'],
  ['an added folder', (f) => mkdirSync(join(f, 'data')), 'data was added.'],
  [
    'an added file whose name has an escape',
    (f) => writeFileSync(join(f, 'a\x1b[2J'), ''),
    'a\\u{1b}[2J was added.',
  ],
  ['an added link', (f) => symlinkSync('decider', join(f, 'd')), 'd was added.'],
  [
    'a link in place of a file',
    (f) => {
      renameSync(join(f, 'dist/src/a.js'), join(f, '../a.js'));
      symlinkSync('../../../a.js', join(f, 'dist/src/a.js'));
    },
    'dist/src/a.js is a symbolic link.',
  ],
  [
    'a folder in place of a file',
    (f) => {
      rmSync(join(f, 'docs/b.md'));
      mkdirSync(join(f, 'docs/b.md'));
    },
    'docs/b.md was added.',
  ],
  [
    'a named pipe',
    (f) => {
      rmSync(join(f, 'docs/b.md'));
      execFileSync('mkfifo', [join(f, 'docs/b.md')]);
    },
    'docs/b.md is not a regular file.',
  ],
  [
    'a file that others may write',
    (f) => chmodSync(join(f, 'decider'), 0o777),
    'decider has the mode 0777 in place of 0755.',
  ],
  [
    'a file that runs as its owner',
    (f) => chmodSync(join(f, 'decider'), 0o4755),
    'decider has the mode 4755 in place of 0755.',
  ],
  [
    'a program that was none',
    (f) => chmodSync(join(f, 'docs/b.md'), 0o755),
    'docs/b.md has the mode 0755 in place of 0644.',
  ],
  [
    'a program that cannot be run',
    (f) => chmodSync(join(f, 'decider'), 0o644),
    'decider has the mode 0644 and cannot be run.',
  ],
  [
    'a folder that others may write',
    (f) => chmodSync(join(f, 'docs'), 0o775),
    'docs has the mode 0775 in place of 0755.',
  ],
  [
    'a manifest that others may write',
    (f) => chmodSync(join(f, 'bundle.json'), 0o666),
    'bundle.json has the mode 0666 in place of 0644.',
  ],
] as const satisfies readonly [string, (folder: string) => void, string][]) {
  test(`verify-bundle finds ${name}`, async (t) => {
    const folder = await bundle(t);
    change(folder);
    t.match(await problemsOf(t, folder), { code: 1, problems: [problem] });
  });
}

test('verify-bundle accepts files with fewer rights, as after chmod or with another umask', async (t) => {
  const folder = await bundle(t);
  chmodSync(join(folder, 'decider'), 0o500);
  chmodSync(join(folder, 'docs/b.md'), 0o400);
  chmodSync(join(folder, 'docs'), 0o500);
  chmodSync(join(folder, 'dist'), 0o2750);
  t.strictSame(await problemsOf(t, folder), { code: 0, problems: [] });
  // Only root could delete its files.
  chmodSync(join(folder, 'docs'), 0o755);
});

test('verify-bundle: a folder that cannot be read is a problem, and hides no other one', async (t) => {
  if (process.getuid?.() === 0) return t.comment('SKIPPED: root can read every folder');
  const folder = await bundle(t);
  chmodSync(join(folder, 'docs'), 0o300);
  rmSync(join(folder, 'dist/src/a.js'));
  const { code, problems } = await problemsOf(t, folder);
  chmodSync(join(folder, 'docs'), 0o755);
  t.equal(code, 1);
  t.match(problems, ['dist/src/a.js is missing.', /^docs cannot be read: EACCES: permission denied/]);
  t.equal(problems.length, 2, 'of the files in it, nothing is known');
});

test('verify-bundle: a name that is not UTF-8 is an added file, and hides no other problem', async (t) => {
  const folder = await bundle(t);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/dist/`), Buffer.of(0xff, 0x61)]), '');
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/dist/`), Buffer.of(0xfe)]));
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/dist/`), Buffer.of(0xfe), Buffer.from('/b')]), '');
  rmSync(join(folder, 'dist/src/a.js'));
  const { code, problems } = await problemsOf(t, folder);
  t.equal(code, 1);
  t.strictSame(problems, [
    'dist/src/a.js is missing.',
    'dist/\ufffd was added.',
    'dist/\ufffd/b was added.',
    'dist/\ufffda was added.',
  ]);
});

test('verify-bundle: what a manifest names outside the bundle is missing', async (t) => {
  const file = { path: '../outside', mode: '0644', size: 0, sha256: '0'.repeat(64) } as const;
  const folder = await bundle(t, [], { files: [file] });
  writeFileSync(join(folder, '../outside'), '');
  t.strictSame(await problemsOf(t, folder), { code: 1, problems: ['../outside is missing.'] });
});

test(`verify-bundle prints at most ${PROBLEMS_MAX} problems`, async (t) => {
  const folder = await bundle(t);
  const add = (count: number) => {
    for (let at = 0; at < count; at += 1) writeFileSync(join(folder, `added-${at}`), '');
  };
  add(PROBLEMS_MAX);
  const all = await problemsOf(t, folder);
  t.equal(all.problems.length, PROBLEMS_MAX);
  t.match(all.problems.at(-1), /^added-99 was added\.$/);
  add(PROBLEMS_MAX + 1);
  const { problems } = await problemsOf(t, folder);
  t.equal(problems.length, PROBLEMS_MAX + 1);
  t.equal(problems.at(-1), '1 more');
});

for (const [name, text, message] of [
  ['no JSON', '{', /bundle\.json is not valid JSON\.\n$/],
  ['null', 'null', /bundle\.json is not the manifest of a bundle\.\n$/],
  ['other fields', `{"format":${BUNDLE_FORMAT}}`, /bundle\.json is not the manifest of a bundle\.\n$/],
  [
    'another format',
    '{"format":2}',
    /bundle\.json has the format 2, and this version of decider reads 1\. Use the /,
  ],
] as const) {
  test(`verify-bundle refuses a manifest with ${name}`, async (t) => {
    const folder = t.testdir({ 'bundle.json': text });
    const { code, stdout, stderr } = await run(t, ['verify-bundle', folder]);
    t.match({ code, stdout, stderr }, { code: 1, stdout: '', stderr: message });
  });
}

test('verify-bundle refuses a folder that is no bundle, such as this clone', async (t) => {
  const { code, stderr } = await run(t, ['verify-bundle']);
  t.match(
    { code, stderr },
    { code: 1, stderr: /^.+ has no bundle\.json: it is not the folder of a bundle\. Name one\.\n$/ },
  );
  const missing = await run(t, ['verify-bundle', join(t.testdir({}), 'x')]);
  t.match(missing, { code: 1, stderr: /^ENOENT: no such file or directory, .*\n$/ });
});

test('verify-bundle reads a manifest of the largest size and refuses a larger one', async (t) => {
  const folder = await bundle(t);
  const file = join(folder, 'bundle.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text + ' '.repeat(MANIFEST_BYTES_MAX - text.length));
  t.equal((await run(t, ['verify-bundle', folder])).code, 0);
  truncateSync(file, MANIFEST_BYTES_MAX + 1);
  const { code, stderr } = await run(t, ['verify-bundle', folder]);
  t.match({ code, stderr }, { code: 1, stderr: /bundle\.json has 16777217 bytes, more than 16777216\.\n$/ });
});
