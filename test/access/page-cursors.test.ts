import { test } from 'tap';
import { type ListPlace, readCursor, showCursor } from '../../src/access/index.js';

type Sort = Parameters<typeof showCursor>[0];

const cursorOf = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

test('a cursor has the place of an entry', (t) => {
  const places: ReadonlyArray<readonly [Sort, ListPlace]> = [
    ['id', { values: [], id: 'acme' }],
    ['name', { values: ['i̇zmir \u{1f600}'], id: 'acme' }],
    ['name', { values: [null], id: 'acme' }],
    ['created', { values: [1_796_000_000_000], id: 'key_1' }],
    ['granted', { values: [`-${'9'.repeat(38)}`], id: 'acme' }],
    ['working_keys', { values: [0], id: 'acme' }],
    ['workspace', { values: ['acme', Number.MAX_SAFE_INTEGER], id: 'key_1' }],
    ['expires', { values: [null], id: 'key_1' }],
  ];
  for (const [sort, place] of places) {
    const cursor = showCursor(sort, place);
    t.match(cursor, /^[\w-]+$/, 'it needs no escapes in a query');
    t.strictSame(readCursor(sort, cursor), place, sort);
    for (const [other] of places)
      if (other !== sort) t.equal(readCursor(other, cursor), undefined, `${sort} as ${other}`);
  }
  // A letter that is three bytes in lower case.
  const longest = { values: ['\u0130'.repeat(64).toLowerCase()], id: 'w'.repeat(64) };
  t.strictSame(readCursor('name', showCursor('name', longest)), longest);
  t.end();
});

test('what is not a cursor, or could not be stored, is none', (t) => {
  const wrong: ReadonlyArray<readonly [Sort, string]> = [
    ['id', ''],
    ['id', 'acme'],
    ['id', `${cursorOf(['id', 'acme'])}=`],
    ['id', cursorOf(null)],
    ['id', cursorOf({ 0: 'id', 1: 'acme' })],
    ['id', cursorOf(['id'])],
    ['id', cursorOf(['id', 1])],
    ['id', cursorOf(['id', 'a\0b'])],
    ['id', cursorOf(['id', '\ud800'])],
    ['id', cursorOf(['id', 'acme', 'acme'])],
    ['name', cursorOf(['name', 'acme'])],
    ['name', cursorOf(['name', 'a\0', 'acme'])],
    ['name', cursorOf(['name', 1, 'acme'])],
    ['created', cursorOf(['created', null, 'acme'])],
    ['created', cursorOf(['created', -1, 'acme'])],
    ['created', cursorOf(['created', 1.5, 'acme'])],
    ['created', cursorOf(['created', 2 ** 53, 'acme'])],
    ['granted', cursorOf(['granted', 1, 'acme'])],
    ['granted', cursorOf(['granted', '1.5', 'acme'])],
    ['granted', cursorOf(['granted', '9'.repeat(39), 'acme'])],
    ['workspace', cursorOf(['workspace', 'acme', 'key_1'])],
    ['expires', cursorOf(['expires', 'never', 'key_1'])],
  ];
  for (const [sort, text] of wrong) t.equal(readCursor(sort, text), undefined, text);
  const ofLength = (length: number) => {
    const cursor = cursorOf(['id', 'x'.repeat((length * 3) / 4 - '["id",""]'.length)]);
    t.equal(cursor.length, length);
    return cursor;
  };
  t.ok(readCursor('id', ofLength(1_000)));
  t.equal(readCursor('id', ofLength(1_004)), undefined);
  t.end();
});
