import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { splitLines, wholeLines } from '../../src/base/lines.js';
import { random, seedFromEnvironment } from '../support/random.js';

const read = (text: string | Buffer) =>
  [...splitLines(Buffer.from(text))].map(({ number, bytes }) => [number, bytes.toString()]);

test('lines end with a line feed or with the file, and blank ones count', async (t) => {
  t.strictSame(read('a\nb\n'), [
    [1, 'a'],
    [2, 'b'],
  ]);
  t.strictSame(
    read('a\nb'),
    [
      [1, 'a'],
      [2, 'b'],
    ],
    'a last line without its end',
  );
  t.strictSame(read('\n\na\n \t\r\nb\n\n'), [
    [3, 'a'],
    [5, 'b'],
  ]);
  t.strictSame(
    read('a\r\nb\r\n'),
    [
      [1, 'a\r'],
      [2, 'b\r'],
    ],
    'a carriage return is white space of JSON',
  );
  t.strictSame(read('a\u2028b\u0085c\vd\n'), [[1, 'a\u2028b\u0085c\vd']], 'nothing else ends a line');
  t.strictSame(read('\u00a0\n'), [[1, '\u00a0']], 'nothing but JSON’s white space is blank');
  for (const text of ['', '\n', ' ', '\r\n\t\n ']) t.strictSame(read(text), [], JSON.stringify(text));
});

const seed = seedFromEnvironment();

test(`any bytes are split into lines as a naive implementation splits them (TEST_SEED=${seed})`, async (t) => {
  const next = random(seed);
  const pieces = ['\n', '\n', '\r\n', ' ', '\t', '\r', 'a', '{"x":1}', 'é', '\u2028', '"\\n"', ''];
  for (let round = 0; round < 500; round += 1) {
    const text = Array.from({ length: next.integer(30) }, () => next.pick(pieces)).join('');
    const naive = text
      .split('\n')
      .map((each, at) => [at + 1, each] as const)
      .filter(([, each]) => !/^[ \t\r]*$/.test(each));
    t.strictSame(read(text), naive, `round ${round}`);
  }
});

test('whole lines of an open file are read in pieces, up to a bound', async (t) => {
  const file = join(t.testdir({}), 'f');
  const lines = (text: string, max: number) => {
    writeFileSync(file, text);
    const descriptor = openSync(file, 'r');
    try {
      return [...wholeLines(descriptor, max)].map(String);
    } finally {
      closeSync(descriptor);
    }
  };
  const long = 'x'.repeat(1 << 20);
  const longer = `${long}${long}yz`;
  for (const all of [[], ['a', '', 'b'], [long, 'a'], [long.slice(1), 'a'], ['a', longer, 'b', long]]) {
    const text = all.map((line) => `${line}\n`).join('');
    t.strictSame(lines(text, longer.length), all);
    t.strictSame(lines(`${text}cut`, longer.length), all, 'a last line without its end is left out');
  }
  t.throws(() => lines(`a\n${longer}\n`, longer.length - 1), RangeError);
  t.throws(() => lines(longer, longer.length - 1), RangeError);
});
