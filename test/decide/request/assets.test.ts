import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { read, refusal, refusedAs } from '../../support/decide/bodies.js';

const PNG = { format: 'png', data_base64: 'aGk=' };
const bodyOf = (assets: unknown, more: object = {}) =>
  JSON.stringify({ state: 's', questions: { q: { type: 'noul' } }, assets, ...more });
const named = (references: string[]) => Object.fromEntries(references.map((reference) => [reference, PNG]));

test('assets keep their names', async (t) => {
  const { assets } = read(
    bodyOf({
      a: { type: 'image', format: 'png', data_base64: 'aGk=', more: 1 },
      b: { format: 'jpg', part: 'file', data_base64: null },
      c: { format: 'jpeg', data_base64: '', part: null },
    }),
  );
  t.strictSame(assets, [
    { reference: 'a', format: 'png', source: { of: 'base64', text: 'aGk=' } },
    { reference: 'b', format: 'jpeg', source: { of: 'part', name: 'file' } },
    { reference: 'c', format: 'jpeg', source: { of: 'base64', text: '' } },
  ]);
});

test('`__proto__` is a reference like any other', async (t) => {
  const [asset] = read(
    '{"state":"s","questions":{"q":{"type":"noul"}},"assets":{"__proto__":{"part":"p"}}}',
  ).assets;
  t.equal(asset?.reference, '__proto__');
});

test('invalid_assets: an entry is not an object, a type is not `image`, both sources or none', async (t) => {
  for (const entry of [null, 1, 'x', [], [PNG]]) t.equal(refusedAs(bodyOf({ a: entry })), 'invalid_assets');
  for (const type of [null, 'Image', 'video', '', 1, true, {}]) {
    t.equal(refusedAs(bodyOf({ a: { ...PNG, type } })), 'invalid_assets', String(type));
  }
  t.equal(refusedAs(bodyOf({ a: { format: 'png' } })), 'invalid_assets');
  t.equal(refusedAs(bodyOf({ a: { format: 'png', data_base64: null, part: null } })), 'invalid_assets');
  t.equal(refusedAs(bodyOf({ a: { ...PNG, part: 'p' } })), 'invalid_assets');
});

test('invalid_assets: a reference of 1,024 bytes is read, an empty or a longer one is not', async (t) => {
  t.equal(refusedAs(bodyOf({ '': PNG })), 'invalid_assets');
  t.equal(read(bodyOf(named(['é'.repeat(512)]))).assets.length, 1);
  t.equal(refusedAs(bodyOf(named([`${'é'.repeat(512)}a`]))), 'invalid_assets');
  t.equal(refusedAs(bodyOf(named(['\ud83d']))), 'invalid_assets', 'half a character');
});

test('invalid_assets: references of more than 64 KiB together, before their number', async (t) => {
  const references = (count: number) =>
    Array.from({ length: count }, (_, i) => String(i).padStart(LIMITS.referenceBytes, 'r'));
  t.equal(refusedAs(bodyOf(named(references(64)))), 'too_many_images');
  t.equal(refusedAs(bodyOf(named([...references(64), 'r']))), 'invalid_assets');
});

test('too_many_images: 8 are read, 9 are not', async (t) => {
  const references = Array.from({ length: 9 }, (_, i) => `r${i}`);
  t.equal(read(bodyOf(named(references.slice(1)))).assets.length, 8);
  t.match(refusal(bodyOf(named(references))), { type: 'too_many_images', message: /9.*8/ });
});

test('invalid_request: a source that is not a string', async (t) => {
  for (const value of [1, true, [], {}]) {
    t.equal(refusedAs(bodyOf({ a: { format: 'png', data_base64: value } })), 'invalid_request');
    t.equal(refusedAs(bodyOf({ a: { format: 'png', part: value } })), 'invalid_request');
  }
});

test('an unknown image format is reported after the errors of the request itself', async (t) => {
  for (const format of [undefined, null, 1, 'PNG', 'gif', '', 'constructor']) {
    t.equal(read(bodyOf({ a: { ...PNG, format } })).assets[0]?.format, null, String(format));
  }
});

test('messages name the asset, cut and without control characters', async (t) => {
  const { message } = refusal(bodyOf({ [`\u0000${'n'.repeat(100)}`]: 1 }));
  t.match(message, `"\\u0000${'n'.repeat(63)}…"`);
});
