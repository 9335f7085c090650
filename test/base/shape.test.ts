import { test } from 'tap';
import {
  isArrayOf,
  isBoolean,
  isCount,
  isInteger,
  isNullOr,
  isNumber,
  isObjectOf,
  isOneOf,
  isPartOf,
  isString,
  matches,
  type Shape,
} from '../../src/base/index.js';

const ANY = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  1.5,
  Number.NaN,
  '',
  'a',
  'b',
  [],
  ['a'],
  [1],
  {},
  { a: 'a' },
  { a: 1 },
];

for (const [name, shape, fitting] of [
  ['string', isString, ['', 'a', 'b']],
  ['number', isNumber, [0, 1, -1, 1.5]],
  ['integer', isInteger, [0, 1, -1]],
  ['count', isCount, [0, 1]],
  ['boolean', isBoolean, [true]],
  ['pattern', matches(/^a$/), ['a']],
  ['one of', isOneOf('a', 'c'), ['a']],
  ['nullable', isNullOr(isString), [null, '', 'a', 'b']],
  ['array', isArrayOf(isString), [[], ['a']]],
  ['object', isObjectOf({ a: isString }), [{ a: 'a' }]],
  ['part of an object', isPartOf({ a: isString }), [{}, { a: 'a' }]],
] as ReadonlyArray<readonly [string, Shape<unknown>, readonly unknown[]]>) {
  test(`shape: ${name}`, async (t) => {
    t.strictSame(
      ANY.filter((value) => shape(value)),
      fitting,
    );
  });
}

test('shape: fields that are not named are allowed', async (t) => {
  t.ok(isObjectOf({ a: isString })({ a: 'a', more: 1 }));
  t.ok(isPartOf({ a: isString })({ more: 1 }));
});
