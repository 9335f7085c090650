import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'tap';
import { python, ROOT, type Source, sources } from '../support/sources.js';

const LINES_MAX = 400;
// One assertion about all files: tap needs a second for a thousand of them.
const all = sources('src', 'bin', 'tools', 'native', 'models', 'bench', 'bundle', 'test');
const pathsOf = (found: readonly Source[]) => found.map(({ path }) => path);

test(`no file over ${LINES_MAX} lines without its reason at the top`, async (t) => {
  const written = /^\/\/ Long because|^[^\n]*\n\nWritten from that document: DOCS=write/;
  const long = [...all, ...python('clients')].filter(({ text }) => text.split('\n').length > LINES_MAX);
  t.strictSame(pathsOf(long.filter(({ text }) => !written.test(text))), []);
});

test('a file name leads to one file: counterparts and commands share names, nothing else does', async (t) => {
  // Both storages have the same names, which may be that of an interface. A command is named after what it manages.
  const places = ['src/storage/folder/', 'src/storage/database/', 'src/cli/', 'src/server/operator/api/'];
  const placeOf = (path: string) => places.find((place) => path.startsWith(place)) ?? 'elsewhere';
  const seen = new Map<string, string>();
  const repeated: string[] = [];
  for (const path of pathsOf(all).filter((each) => /^src\/.*\.tsx?$/.test(each))) {
    const name = basename(path);
    if (/^(index\.ts|main\.tsx)$/.test(name)) continue;
    const known = `${placeOf(path)} ${name}`;
    if (seen.has(known)) repeated.push(`${seen.get(known)} and ${path}`);
    seen.set(known, path);
  }
  t.strictSame(repeated, []);
});

test('nothing left to do in comments', async (t) => {
  const marks = new RegExp(
    `\\b(${['TO', 'FIX', 'XX', 'HA'].map((s, i) => s + ['DO', 'ME', 'X', 'CK'][i]).join('|')})\\b`,
  );
  t.strictSame(pathsOf(all.filter(({ text }) => marks.test(text))), []);
});

test('every import leads to a file', async (t) => {
  const isThere = (target: string) =>
    target.endsWith('/') ||
    [target, target.replace(/\.ts$/, '.js')].some((file) => existsSync(join(ROOT, file)));
  const missing = all.flatMap(({ path, imports }) =>
    imports.filter((target) => !isThere(target)).map((target) => `${path} imports ${target}`),
  );
  t.strictSame(missing, []);
});

test('what threads and processes start with is bundled', async (t) => {
  const { ENTRIES } = await import(join(ROOT, 'tools/build-entries.mjs'));
  const used = all.flatMap(({ path, text }) =>
    path.startsWith('src/') ? [...text.matchAll(/entryFile\('([^']+)'\)/g)].map(([, entry]) => entry) : [],
  );
  t.strictSame([...new Set(used)].sort(), ENTRIES);
  // In a bundle the place of a module is another one.
  const byPlace = all.filter(
    ({ path, text }) => /^src\/(?!console\/)/.test(path) && /new URL\('[^']+\.js'/.test(text),
  );
  t.strictSame(pathsOf(byPlace), []);
});

test('no source file that nothing reaches', async (t) => {
  const reached = new Set<string>();
  const byPath = new Map(all.map((source) => [source.path, source]));
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of byPath.get(path)?.imports ?? []) reach(target);
  };
  reach('src/cli/main.ts');
  reach('models/tiny/main.ts');
  reach('models/nano/card/main.ts');
  reach('models/nano/card/tables.ts');
  // Bundled for browsers.
  reach('src/console/main.tsx');
  reach('src/console/operator/main.tsx');
  // Declarations are for the compiler alone.
  const program = all.filter(({ path }) => /^(src|models)\/.*\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
  t.strictSame(
    pathsOf(program).filter((path) => !reached.has(path)),
    [],
  );
});

test('no source names where it was written', async (t) => {
  const place = /(^|[^\w.])\/(work|root|tmp|home)\//;
  t.strictSame(pathsOf(all.filter(({ text }) => place.test(text))), []);
});
