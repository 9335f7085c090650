import { test } from 'tap';
import { PAGES, read } from '../support/pages.js';
import { sources } from '../support/sources.js';

const { version } = JSON.parse(read('package.json')) as { version: string };

test('the version is the same in package.json, the lockfile, the clients and the changelog', async (t) => {
  const lock = JSON.parse(read('package-lock.json'));
  t.equal(lock.version, version);
  t.equal(lock.packages[''].version, version);
  t.equal(JSON.parse(read('clients/typescript/package.json')).version, version);
  t.match(read('clients/python/pyproject.toml'), `\nversion = "${version}"\n`);
  const [unreleased, newest] = read('CHANGELOG.md').match(/^## .+$/gm) ?? [];
  t.equal(unreleased, '## Unreleased');
  t.match(newest, new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`));
});

test('commands of the pages name this version: tags, packages, archives', async (t) => {
  const NAMED = /(?:--branch v|git checkout v|decider-)(\d+\.\d+\.\d+)/g;
  const found = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    [...read(page).matchAll(NAMED)].map(([text, named]) => ({ page, text, named })),
  );
  t.ok(found.length >= 8);
  for (const { page, text, named } of found) t.equal(named, version, `${page}: ${text}`);
});

test('no page and no message starts the command with npx, which asks a registry outside of a project', async (t) => {
  const texts = [
    ...PAGES.map((path) => ({ path, text: read(path) })),
    ...sources('src', 'bin', 'tools', 'native'),
  ];
  for (const { path, text } of texts) {
    const wrong = text.split('\n').filter((line) => /npx decider/.test(line) && !/Not `npx/.test(line));
    t.strictSame(wrong, [], path);
  }
});
