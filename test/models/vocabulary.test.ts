import { test } from 'tap';
import { Merges } from '../../models/tiny/merges.js';
import { SPACE, tinyVocabulary } from '../../models/tiny/vocabulary.js';

const { tokens, types, merges } = tinyVocabulary();
const ids = new Map(tokens.map((token, id) => [token, id]));

test('tokens are distinct and the first ones are Gemma’s', async (t) => {
  t.equal(ids.size, tokens.length);
  t.equal(types.length, tokens.length);
  t.strictSame(tokens.slice(0, 5), ['<pad>', '<eos>', '<bos>', '<unk>', '<mask>']);
  t.ok(tokens.length >= 1500 && tokens.length <= 2500, `${tokens.length} tokens`);
});

test('every byte, printable character and run of newlines is a token', async (t) => {
  t.equal(types.filter((type) => type === 6).length, 256);
  for (const byte of ['<0x00>', '<0x0A>', '<0xFF>']) t.ok(ids.has(byte), byte);
  for (let code = 0x21; code < 0x7f; code++) t.ok(ids.has(String.fromCharCode(code)));
  for (const text of [SPACE, '\n', '\n\n', '\n'.repeat(31)]) t.ok(ids.has(text));
});

test('every merge joins two tokens into a third', async (t) => {
  const wrong = merges.filter((merge) => {
    const [left, right, more] = merge.split(' ');
    return more !== undefined || ![left, right, `${left}${right}`].every((part) => ids.has(part as string));
  });
  t.strictSame(wrong, []);
});

test('labels are single tokens, and no merge takes a letter into its bracket', async (t) => {
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') {
    t.ok(ids.has(letter) && ids.has(SPACE + letter), letter);
    t.notOk(merges.includes(`( ${letter}`));
  }
});

test('a vocabulary can lack a token and have another', async (t) => {
  const other = tinyVocabulary({ without: ['B', '<0x42>'], also: ['(A'], strictSpecials: true });
  t.notOk(other.tokens.includes('B') || other.tokens.includes('<0x42>'));
  t.notOk(other.merges.some((merge) => merge.split(' ').includes('B')));
  t.ok(other.tokens.includes('(A') && other.merges.includes('( A'));
  t.notOk(other.types.includes(4));
});

test('a word stays one token whatever is added after it', async (t) => {
  const list = new Merges();
  const words = ['the', 'other', 'there', 'mother', 'her', 'banana', 'he', 'anther'];
  for (const word of words) list.add(word);
  for (const word of words) t.strictSame(list.split(word), [word]);
});
