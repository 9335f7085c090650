import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { inSources, SourcePlaces } from '../support/source-places.js';
import { ROOT } from '../support/sources.js';

const OWN = 'test/support/source-places';
const MARK = 'export class SourcePlaces';

/** The place of a text in a file, counted from 1. */
function placeIn(file: string): { line: number; column: number } {
  const before = readFileSync(join(ROOT, file), 'utf8').split(MARK)[0] as string;
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

const [compiled, source] = [placeIn(`dist/${OWN}.js`), placeIn(`${OWN}.ts`)];
const diagnostic = (file: string, { line, column }: { line: number; column: number }) =>
  `  at:\n    fileName: ${file}\n    lineNumber: ${line}\n    columnNumber: ${column}\n`;

test('a place in a compiled file is named as in its source', (t) => {
  t.not(compiled.line, source.line);
  const stack = (file: string, { line, column }: { line: number; column: number }) =>
    `at run (file:///x/${file}:${line}:${column})\n`;
  t.equal(inSources(stack(`dist/${OWN}.js`, compiled)), stack(`${OWN}.ts`, source));
  t.equal(inSources(diagnostic(`dist/${OWN}.js`, compiled)), diagnostic(`${OWN}.ts`, source));
  for (const other of ['at dist/test/none.js:1:1', 'ok 1 - dist/test/x.test.js', 'at node:fs:1:2'])
    t.equal(inSources(other), other);
  t.end();
});

test('a report that comes in pieces has the places of one in one piece', async (t) => {
  const text = `not ok 1 - é\n${diagnostic(`dist/${OWN}.js`, compiled)}ok 2\n# end`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stream = new SourcePlaces();
    stream.write(text.slice(0, cut));
    stream.end(text.slice(cut));
    let found = '';
    for await (const piece of stream) found += piece;
    if (found !== inSources(text)) t.equal(found, inSources(text), `cut at ${cut}`);
  }
});
