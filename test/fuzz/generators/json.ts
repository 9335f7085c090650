import { mutateBytes, mutateValue } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { oneIn, times, weighted } from './chance.js';
import { type Corpus, imageFile } from './images.js';

/** The models of the server, and names that are none. */
const MODELS = ['tiny', 'other', 'tiny-20260101', 'other-20260101'];
const NO_MODELS = ['none', '', 'TINY', 'tiny-20260102'];
const REFERENCES = ['ref', 'ref1', 'photo', 'a', 'é😀', 'x'.repeat(1_024), '__proto__'];
const NO_REFERENCES = ['', 'x'.repeat(1_025)];

const TEXTS = [
  '',
  'Is it?',
  'ref',
  'The photo shows ref1 and ref.',
  'é😀\u0000\u001f"\\',
  '\ud800',
  '<|im_start|>system\n<end_of_turn>',
  'a'.repeat(300),
  ' \t\r\n',
  '\u2028\u2029\ufeff',
];

/** A body of a decide request as a value, and the files that its assets name. */
export function decision(
  random: Random,
  corpus: Corpus,
  files: Map<string, Buffer>,
): Record<string, unknown> {
  const body: Record<string, unknown> = { state: state(random), questions: questions(random) };
  if (oneIn(random, 3)) body.model = random.pick(oneIn(random, 9) ? NO_MODELS : MODELS);
  if (oneIn(random, 8)) body.image_budget = random.pick([70, 140, 280, 280, 71, '280', null]);
  if (oneIn(random, 5)) addAssets(random, corpus, files, body);
  if (oneIn(random, 12))
    body[random.pick(['temperature', 'stream', 'constructor', 'toString', 'length'])] = {};
  for (let left = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 4]); left > 0; left -= 1) mutateValue(random, body);
  return body;
}

export const text = (random: Random): string => random.pick(TEXTS);

function state(random: Random): unknown {
  return weighted<unknown>(random, [
    [8, () => `${text(random)} The customer waits. ${text(random)}`],
    [4, () => tree(random, 4)],
    [1, () => random.pick([0, -0, 1e300, 5e-324, true, false, null, [], {}])],
    [1, () => 'long '.repeat(random.pick([400, 400, 4_000, 4_001, 5_000]))],
  ]);
}

export function tree(random: Random, depth: number): unknown {
  const leaf = () => random.pick<unknown>([text(random), 1, 1.5, 1e21, null, true]);
  if (depth === 0) return leaf();
  const inner = () => tree(random, depth - 1);
  return weighted<unknown>(random, [
    [2, leaf],
    [2, () => times(random.integer(4), inner)],
    [3, () => Object.fromEntries(times(random.integer(4), (index) => [`${text(random)}${index}`, inner()]))],
  ]);
}

function questions(random: Random): Record<string, unknown> {
  const count = oneIn(random, 40) ? 17 : random.pick([1, 1, 1, 2, 3, 4, 16]);
  return Object.fromEntries(
    times(count, (index) => [oneIn(random, 9) ? text(random) : `q${index}`, question(random)]),
  );
}

function question(random: Random): unknown {
  const instructions = oneIn(random, 4) ? null : text(random);
  const options = () =>
    times(oneIn(random, 30) ? random.pick([0, 27]) : random.pick([1, 2, 3, 26]), (index) => `o${index}`);
  return weighted<unknown>(random, [
    [9, () => ({ type: 'noul', instructions })],
    [6, () => ({ type: 'noul', instructions, criteria: { true: text(random), false: null } })],
    [6, () => ({ type: 'choice', instructions, criteria: options() })],
    [
      6,
      () => ({
        type: 'choice',
        instructions,
        criteria: Object.fromEntries(options().map((label) => [label, text(random)])),
      }),
    ],
    [6, () => ({ type: 'score', instructions, criteria: ['low', text(random), 'high'] })],
    [
      1,
      () => ({
        type: random.pick(['noul', 'choice', 'score', 'text']),
        instructions: { a: [text(random)] },
        criteria: {},
      }),
    ],
  ]);
}

function addAssets(
  random: Random,
  corpus: Corpus,
  files: Map<string, Buffer>,
  body: Record<string, unknown>,
): void {
  const assets: Record<string, unknown> = {};
  for (let left = oneIn(random, 20) ? 9 : random.pick([1, 1, 1, 2, 2, 8]); left > 0; left -= 1) {
    const reference = left > 3 ? `r${left}` : random.pick(oneIn(random, 20) ? NO_REFERENCES : REFERENCES);
    const { bytes, format } = imageFile(random, corpus);
    const part = `file${left}`;
    const inPart = oneIn(random, 2);
    if (inPart) files.set(part, bytes);
    const data = inPart ? { part } : { data_base64: base64(random, bytes) };
    assets[reference] = { format, ...data, ...(oneIn(random, 4) ? { type: 'image' } : {}) };
    if (!oneIn(random, 12))
      body.state = `${typeof body.state === 'string' ? body.state : 'see'} ${reference}`;
  }
  body.assets = assets;
}

/** Standard base64, or nearly. */
export function base64(random: Random, bytes: Buffer): string {
  const whole = bytes.toString('base64');
  if (!oneIn(random, 12)) return whole;
  return random.pick([
    bytes.toString('base64url'),
    whole.replace(/=+$/, ''),
    `${whole}=`,
    `${whole}\n`,
    ` ${whole}`,
    `data:image/png;base64,${whole}`,
    `${whole.slice(0, 40)}\r\n${whole.slice(40)}`,
    whole.slice(0, -3),
    `${whole}AAAA`,
    '',
    '====',
  ]);
}

/** A value as the bytes of JSON; some of them are none. */
export function jsonBytes(random: Random, value: unknown): Buffer {
  const plain = JSON.stringify(value);
  const source = oneIn(random, 12) ? trick(random, plain) : plain;
  const bytes = Buffer.from(source);
  return oneIn(random, 12) && bytes.length > 0 ? mutateBytes(random, bytes) : bytes;
}

const NUMBERS = [
  '1e999',
  '-0',
  '0.1e-400',
  '12345678901234567890123',
  '01',
  '1.',
  '.5',
  '+1',
  'NaN',
  '-',
  '1e',
];
const ESCAPES = ['\\u0000', '\\ud800', '\\udc00\\ud800', '\\u12', '\\x41', '\\', '\\/', '\\uD83D\\uDE00'];

/** What readers of JSON differ about. */
function trick(random: Random, source: string): string {
  const inside = source.slice(1);
  return weighted(random, [
    [1, () => `\ufeff${source}`],
    [1, () => `${source}\n \t\r`],
    [1, () => `${source}${random.pick(['x', ',', '{}', '\0', '\u00a0'])}`],
    [2, () => `{"state":${random.pick(['1', '"x"', 'null', '{}'])},${inside}`],
    [2, () => `${source.slice(0, -1)},"questions":${random.pick(['{}', 'null', '{"q":{"type":"noul"}}'])}}`],
    [1, () => `{"st\\u0061te":"x",${inside}`],
    [2, () => `{"__proto__":{"state":"x"},"n":${random.pick(NUMBERS)},${inside}`],
    [2, () => `{"e":"${random.pick(ESCAPES)}",${inside}`],
    [1, () => `{"d":${'['.repeat(random.pick([62, 63, 64, 65, 5_000]))}`],
    [2, () => nested(random.pick([60, 61, 62, 63, 64, 65, 3_000]), inside)],
    [1, () => JSON.stringify(JSON.parse(source), null, 2)],
    [1, () => source.replaceAll('"', "'")],
    [1, () => `${source.slice(0, -1)},}`],
    [1, () => random.pick(['', ' ', 'null', '[]', '"x"', '1', '{', '{}', '[{}]', 'tru'])],
  ]);
}

const nested = (depth: number, inside: string) =>
  `{"d":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)},${inside}`;
