import { test } from 'tap';
import { statement } from '../../src/postgres/index.js';
import { NEEDS_POSTGRES, newDatabase } from '../support/postgres.js';

test('values are read exactly', NEEDS_POSTGRES, async (t) => {
  const { database } = await newDatabase(t);
  const [row] = await database.query(
    statement(
      'values',
      `SELECT $1::bigint AS int8, $2::numeric(38) AS money, $3::bytea AS bytes, $4::text[] AS texts,
        ARRAY[1, NULL]::bigint[] AS ints, ARRAY[1e37::numeric(38)] AS moneys, '{"a":1}'::jsonb AS json, NULL::bigint AS none`,
    ),
    [2 ** 53 - 1, 12345678901234567890123456789012345678n, Buffer.from([0, 255]), ['a,b', '"']],
  );
  t.strictSame(row, {
    int8: 2 ** 53 - 1,
    money: '12345678901234567890123456789012345678',
    bytes: Buffer.from([0, 255]),
    texts: ['a,b', '"'],
    ints: [1, null],
    moneys: [`1${'0'.repeat(37)}`],
    json: { a: 1 },
    none: null,
  });
  await t.rejects(database.query(statement('large', `SELECT ${2n ** 53n}::bigint AS large`)), RangeError);
});
