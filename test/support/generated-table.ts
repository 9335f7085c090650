import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ROOT } from './sources.js';

/** The header of a table and the line below it, which are written by hand. */
const HEADER = /^\|.*\n\|[-|: ]+\|\n/;

/**
 * Checks that the rows between a page's marks `<!-- NAME: … -->` and `<!-- /NAME -->` are these, below the header of
 * their table if they have one. (A comment between header and rows would end the table.) With `DOCS=write` in the
 * environment, the rows are written there first.
 */
export function checkTable(t: Test, page: string, name: string, rows: readonly string[]): void {
  const file = join(ROOT, page);
  const start = `<!-- ${name}: written by test/docs, do not edit by hand -->\n`;
  const end = `<!-- /${name} -->`;
  const text = readFileSync(file, 'utf8');
  const [first, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  t.ok(first > start.length && to >= first, `${page} has the marks of ${name}`);
  const from = first + (HEADER.exec(text.slice(first, to))?.[0].length ?? 0);
  const expected = `${rows.join('\n')}\n`;
  if (process.env.DOCS === 'write') writeFileSync(file, text.slice(0, from) + expected + text.slice(to));
  const now = readFileSync(file, 'utf8');
  t.equal(now.slice(from, now.indexOf(end)), expected, `${page}: ${name}`);
}
