import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { writeArchive, writeFolder } from '../../bundle/archive.js';
import type { Entry } from '../../bundle/contents.js';

const entry = (path: string, text: string, mode: Entry['mode'] = '0644'): Entry => ({
  path,
  mode,
  part: 'program',
  content: { text },
});

test('a folder has the modes of its entries, whatever the umask and the modes of copied files are', async (t) => {
  const root = t.testdir({ source: 'copied' });
  chmodSync(join(root, 'source'), 0o777);
  const umask = process.umask(0o077);
  try {
    const copied: Entry = { ...entry('b/c/d', ''), content: { file: join(root, 'source') } };
    const files = await writeFolder(join(root, 'folder'), [copied, entry('a', '1', '0755')]);
    t.strictSame(files, [
      {
        path: 'a',
        mode: '0755',
        size: 1,
        sha256: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
      },
      {
        path: 'b/c/d',
        mode: '0644',
        size: 6,
        sha256: files[1]?.sha256,
      },
    ]);
  } finally {
    process.umask(umask);
  }
  const mode = (path: string) => lstatSync(join(root, 'folder', path)).mode & 0o7777;
  t.strictSame(['.', 'a', 'b', 'b/c', 'b/c/d'].map(mode), [0o755, 0o755, 0o755, 0o755, 0o644]);
});

test('the same files give the same archive, whenever, by whomever and in which order they were written', async (t) => {
  const root = t.testdir({});
  const files = [entry('x', 'x', '0755'), entry('folder/y', 'y'), entry(`${'long/'.repeat(40)}z`, 'z')];
  const archives: Buffer[] = [];
  for (const [at, entries] of [files, [...files].reverse()].entries()) {
    const parent = join(root, String(at));
    mkdirSync(parent);
    await writeFolder(join(parent, 'name'), entries);
    utimesSync(join(parent, 'name/x'), at + 1, at + 1);
    const variables = { TAR_OPTIONS: '--mtime=@1', GZIP: '-1', TZ: `Etc/GMT+${at}`, LC_ALL: 'C.UTF-8' };
    const before = { ...process.env };
    Object.assign(process.env, at === 0 ? {} : variables);
    try {
      writeArchive(parent, 'name', join(parent, 'archive.tar.gz'));
    } finally {
      for (const name of Object.keys(variables)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    archives.push(readFileSync(join(parent, 'archive.tar.gz')));
    t.strictSame(readdirSync(parent).sort(), ['archive.tar.gz', 'name'], 'nothing unfinished stays');
  }
  t.ok(archives[0]?.equals(archives[1] as Buffer));
  const options = { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } } as const;
  const listed = execFileSync(
    'tar',
    ['--list', '--verbose', '--file', join(root, '0/archive.tar.gz')],
    options,
  );
  t.match(listed.split('\n')[0], /^drwxr-xr-x 0\/0 +0 2000-01-01 00:00 name\/$/);
});

test('an archive that cannot be written is one sentence, and leaves nothing', async (t) => {
  const root = t.testdir({});
  t.throws(() => writeArchive(root, 'missing', join(root, 'archive.tar.gz')), {
    message: /^tar failed, which must be GNU tar with gzip: /,
  });
  writeFileSync(join(root, 'other'), '');
  t.strictSame(readdirSync(root), ['other']);
});
