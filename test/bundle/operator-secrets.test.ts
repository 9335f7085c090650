import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Test, test } from 'tap';
import { programFiles } from '../../bundle/contents.js';
import { ROOT } from '../support/sources.js';

/** What an operator may have written into a clone, as docs/operations.md, docs/data.md and docs/evaluation.md say. */
const SECRETS = [
  '.env',
  'new.key',
  'master.key',
  'master.key.next',
  'master.key.0123abcd',
  'key.pem',
  'operator.token',
  'decider.json',
  'data.mdb',
  '2026-11-22.decider',
  'answers.archive.jsonl',
];
const secrets = Object.fromEntries(SECRETS.map((name) => [name, '']));

/** A folder with the lists of the project, and secrets in places that are shipped. */
const clone = (t: Test): string =>
  t.testdir({
    ...secrets,
    'package.json': readFileSync(join(ROOT, 'package.json')),
    '.gitignore': readFileSync(join(ROOT, '.gitignore')),
    deploy: { ...secrets, 'compose.yml': '', old: { ...secrets } },
    docs: { ...secrets, 'operations.md': '' },
    models: { ...secrets, 'manifest.json': '{"models":[]}' },
    dist: { 'console.json': '', src: {}, bench: {}, entries: {}, models: { tiny: {} } },
  });

const run = (folder: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: folder, encoding: 'utf8' });

test('no secret and no data of an operator is in the package, a bundle, an image or a commit', async (t) => {
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
      paths.filter((path: string) => SECRETS.includes(basename(path))),
      [],
      name,
    );
  }
  // Without Docker, only that its list has the patterns.
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const patterns = ignored.filter((line) => line.startsWith('**/')).map((line) => line.slice('**/'.length));
  for (const name of SECRETS)
    t.ok(
      patterns.some((pattern) => matchesGlob(name, pattern)),
      name,
    );
});

/** Whether a name fits a pattern of which `*` stands for any characters. */
function matchesGlob(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
