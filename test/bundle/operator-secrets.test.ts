import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { programFiles } from '../../bundle/contents.js';
import { ROOT } from '../support/sources.js';

/** What an operator may have written into a clone, as docs/operations.md and docs/data.md say. */
const SECRET = /(^|\/)(\.env|new\.key)$/;

/** A folder with the lists of the project, and secrets in places that are shipped. */
const clone = (t: Test): string =>
  t.testdir({
    '.env': '',
    'new.key': '',
    'package.json': readFileSync(join(ROOT, 'package.json')),
    '.gitignore': readFileSync(join(ROOT, '.gitignore')),
    deploy: { '.env': '', 'new.key': '', 'compose.yml': '' },
    docs: { '.env': '', 'operations.md': '' },
    models: { 'manifest.json': '{"models":[]}' },
    dist: { 'console.json': '', src: {}, bench: {}, entries: {}, models: { tiny: {} } },
  });

const run = (folder: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8' });

test('no token or key of an operator is in the package, a bundle, an image or a commit', async (t) => {
  const folder = clone(t);
  const [packed] = JSON.parse(run(folder, 'npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
  run(folder, 'git', 'init', '--quiet');
  const shipped = {
    package: packed.files.map(({ path }: { path: string }) => path),
    bundle: programFiles(folder, false).map(({ path }) => path),
    commit: run(folder, 'git', 'ls-files', '--others', '--exclude-standard').split('\n'),
  };
  for (const [name, paths] of Object.entries(shipped)) {
    t.ok(paths.includes('deploy/compose.yml'), name);
    t.strictSame(
      paths.filter((path: string) => SECRET.test(path)),
      [],
      name,
    );
  }
  // Without Docker, only that its list has the patterns.
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const pattern of ['**/.env', '**/*.key']) t.ok(ignored.includes(pattern), pattern);
});
