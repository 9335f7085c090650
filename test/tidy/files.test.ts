import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { ROOT, sources } from '../support/sources.js';

const LINES_MAX = 400;
const all = sources('src', 'bin', 'tools', 'native', 'models', 'bench', 'test');

test(`no file over ${LINES_MAX} lines without its reason at the top`, async (t) => {
  for (const { path, text } of all) {
    const lines = text.split('\n').length;
    t.ok(lines <= LINES_MAX || text.startsWith('// Long because'), `${path}: ${lines} lines`);
  }
});

test('nothing left to do in comments', async (t) => {
  const marks = new RegExp(
    `\\b(${['TO', 'FIX', 'XX', 'HA'].map((s, i) => s + ['DO', 'ME', 'X', 'CK'][i]).join('|')})\\b`,
  );
  for (const { path, text } of all) t.notMatch(text, marks, path);
});

test('every import leads to a file', async (t) => {
  for (const { path, imports } of all) {
    for (const target of imports) {
      const found = [target, target.replace(/\.ts$/, '.js')].some((file) => existsSync(join(ROOT, file)));
      t.ok(found || target.endsWith('/'), `${path} imports ${target}`);
    }
  }
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
  // Bundled for browsers.
  reach('src/console/main.tsx');
  for (const { path } of all) {
    // Declarations are for the compiler alone.
    if (!/^(src|models)\//.test(path) || path.endsWith('.d.ts')) continue;
    t.ok(reached.has(path), path);
  }
});

test('no source names where it was written', async (t) => {
  for (const { path, text } of all) {
    t.notMatch(text, /(^|[^\w.])\/(work|root|tmp|home)\//, path);
  }
});
