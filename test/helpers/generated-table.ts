import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT } from '../tidy/sources.js';

/**
 * Checks that the rows between a page's marks `<!-- NAME: … -->` and `<!-- /NAME -->` are these. With `DOCS=write` in
 * the environment they are written there first.
 */
export function checkTable(t: Test, page: string, name: string, rows: readonly string[]): void {
  const file = join(ROOT, page);
  const start = `<!-- ${name}: written by test/docs, do not edit by hand -->\n`;
  const end = `<!-- /${name} -->`;
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  t.ok(from > start.length && to >= from, `${page} has the marks of ${name}`);
  const expected = `${rows.join('\n')}\n`;
  if (process.env.DOCS === 'write') writeFileSync(file, text.slice(0, from) + expected + text.slice(to));
  const now = readFileSync(file, 'utf8');
  t.equal(now.slice(from, now.indexOf(end)), expected, `${page}: ${name}`);
}
