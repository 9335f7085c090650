import { test } from 'tap';
import { csv, facts, table } from '../../src/cli/text-table.js';

test('table: columns as wide as their widest cell, numbers at the right', async (t) => {
  const rows = [
    ['a', '1', 'x'],
    ['long', '1000', ''],
  ];
  t.equal(table(['name', 'n', 'note'], rows, ['n']), 'name     n  note\na        1  x\nlong  1000');
  t.equal(table(['name'], []), 'name');
});

test('table: one that is wider than the terminal is a block of lines per row', async (t) => {
  const rows = [
    ['a', 'x'.repeat(4)],
    ['b', 'y'],
  ];
  t.equal(table(['id', 'note'], rows, [], 8), 'id  note\na   xxxx\nb   y', 'at the limit');
  t.equal(table(['id', 'note'], rows, [], 7), 'id:   a\nnote: xxxx\n\nid:   b\nnote: y');
  t.equal(table(['id', 'note'], [], [], 7), 'id  note', 'an empty one has its head');
});

test('table: a block has each column once and in order, whatever the titles are', async (t) => {
  t.equal(table(['correct', '1', '1'], [['a', '5', '6']], [], 8), 'correct: a\n1:       5\n1:       6');
});

test('facts: each name is followed by its value', async (t) => {
  t.equal(facts({ id: '1', workspace: 'w' }), 'id:        1\nworkspace: w');
});

test('csv: RFC 4180', async (t) => {
  t.equal(csv(['a', 'b'], [['1,2', 'say "yes"\n']]), 'a,b\r\n"1,2","say ""yes""\n"\r\n');
  t.equal(csv(['a'], []), 'a\r\n');
});

test('table: a year of usage has more rows than a call takes arguments', async (t) => {
  const rows = Array.from({ length: 300_000 }, (_, at) => [String(at)]);
  t.equal(table(['row'], rows).length, 'row'.length + rows.join('\n').length + 1);
});
