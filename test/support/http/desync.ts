import { hiddenRequest } from '../../../src/http/trial/known-attacks.js';
import type { Random } from '../random.js';

/**
 * Bytes whose first request ends its connection, or holds the second one in its body. Either way the second, the
 * canary, must not be executed: a reader in front of the server may take it for a part of the first.
 */
export interface DesyncCase {
  /** What is wrong with the first request, for a message. */
  readonly name: string;
  /** Characters are bytes. */
  readonly bytes: string;
}

/** The request that must never be executed. Its token tells the server of the test which one it was. */
export const canary = hiddenRequest;

/** A head without its last empty line, and what follows that. */
interface Parts {
  readonly line?: string;
  readonly fields: readonly string[];
  readonly rest: string;
}
type Make = (random: Random, hidden: string) => Parts;

const POST = 'POST /v1/decide HTTP/1.1';
const hex = (text: string) => text.length.toString(16);
const chunked = (text: string) => `${hex(text)}\r\n${text}\r\n0\r\n\r\n`;
const either = (random: Random, name: string) => random.pick([name, name.toLowerCase(), name.toUpperCase()]);
const length = (random: Random, value: number | string) =>
  `${either(random, 'Content-Length')}:${random.pick(['', ' ', '  ', '\t'])}${value}`;
const encoding = (random: Random, value: string) => `${either(random, 'Transfer-Encoding')}: ${value}`;

/** Values that are no number: each as some reader takes it, for the length of the hidden request. */
const badLength = (random: Random, n: number) =>
  random.pick([
    '',
    `+${n}`,
    `-${n}`,
    `${n}, ${n}`,
    `0, ${n}`,
    `${n},`,
    `${n} ${n}`,
    `0x${n.toString(16)}`,
    `${n}.0`,
    `${n}e0`,
    `${n}x`,
    `"${n}"`,
    `${n};`,
    `1${'0'.repeat(19)}`,
    `1${'0'.repeat(29)}`,
    `${2n ** 64n + BigInt(n)}`,
    `${2n ** 32n + BigInt(n)}`,
    `\x0b${n}`,
    `${n}\x00`,
    '\xb2',
  ]);
/** Encodings that are not `chunked` alone, or that not every reader takes for it. */
const badEncoding = (random: Random) =>
  random.pick([
    'gzip',
    'identity',
    'deflate',
    '',
    'chunked, identity',
    'chunked, chunked',
    'gzip, chunked',
    'identity, chunked',
    'chunked;q=1',
    '"chunked"',
    'xchunked',
    'chunkedx',
    'chunked,',
    ',chunked',
    'chunk ed',
    '\x0bchunked',
    'chunked\x00',
    '\xa0chunked',
    'cow',
  ]);
/** A chunk's line for a size that is wrong, or that not every reader takes alike. */
const badSize = (random: Random, n: string) =>
  random.pick([
    `0x${n}`,
    `-${n}`,
    `+${n}`,
    ` ${n}`,
    `${n} `,
    `${n};`,
    `${n};a=b`,
    `${n};a="\n"`,
    `${n}\t`,
    `1${'0'.repeat(16)}${n}`,
    'FFFFFFFFFFFFFFFF',
    'FFFFFFFFFFFFFFFE',
    `${'0'.repeat(30)}${n}`,
    'g',
    '',
    '\x000',
  ]);
/** A field that some readers skip, some join to its neighbour, and some take for what it looks like. */
const oddField = (random: Random, name: string, value: string) =>
  random.pick([
    `${name} : ${value}`,
    `${name}\t: ${value}`,
    ` ${name}: ${value}`,
    `X: y\r\n ${name}: ${value}`,
    `X: y\n${name}: ${value}`,
    `X: y\r${name}: ${value}`,
    `X: y\r\r\n${name}: ${value}`,
    `X: y\x00${name}: ${value}`,
    `${name}\x00: ${value}`,
    `${name}\x0b: ${value}`,
    `\x00${name}: ${value}`,
    `${name}\xad: ${value}`,
    `${name}:\r\n ${value}`,
    `${name}:\n ${value}`,
    `(${name}): ${value}`,
    `${name}`,
    `${name}=${value}`,
    `X\r\n${name}: ${value}`,
  ]);

/** What is wrong with the first request. `hidden` is the request behind it, or in it. */
const ANOMALIES: Readonly<Record<string, Make>> = {
  'two lengths': (random, hidden) => {
    const pair = [0, hidden.length].map((value) => length(random, value));
    return { fields: random.integer(2) === 0 ? pair : pair.reverse(), rest: hidden };
  },
  'the same length twice': (random, hidden) => ({
    fields: [length(random, hidden.length), length(random, hidden.length)],
    rest: hidden + hidden,
  }),
  'a length that is no number': (random, hidden) => ({
    fields: [length(random, badLength(random, hidden.length))],
    rest: hidden,
  }),
  'a length and an encoding': (random, hidden) => ({
    fields: [
      length(random, random.pick([0, hidden.length])),
      encoding(random, random.pick(['chunked', badEncoding(random)])),
    ],
    rest: random.pick([hidden, chunked(hidden), `0\r\n\r\n${hidden}`]),
  }),
  'another encoding': (random, hidden) => ({
    fields: [encoding(random, badEncoding(random))],
    rest: random.pick([hidden, `0\r\n\r\n${hidden}`, chunked(hidden)]),
  }),
  'two encodings': (random, hidden) => ({
    fields: [encoding(random, 'chunked'), encoding(random, random.pick(['chunked', badEncoding(random)]))],
    rest: random.pick([hidden, `0\r\n\r\n${hidden}`, chunked(hidden)]),
  }),
  'chunks, and something behind them': (random, hidden) => ({
    line: random.pick([POST, 'GET /health HTTP/1.1', 'POST /nowhere HTTP/1.1']),
    fields: [encoding(random, random.pick(['chunked', 'Chunked', 'CHUNKED']))],
    rest:
      random.pick(['0\r\n\r\n', '2\r\n{}\r\n0\r\n\r\n', '0;a=b\r\n\r\n', '00\r\n\r\n', '0\r\nX: y\r\n\r\n']) +
      hidden,
  }),
  'chunks with a wrong size': (random, hidden) => ({
    line: random.pick([POST, 'GET /health HTTP/1.1']),
    fields: [encoding(random, 'chunked')],
    rest: `${badSize(random, hex(hidden))}${random.pick(['\r\n', '\n', '\r'])}${hidden}\r\n0\r\n\r\n${hidden}`,
  }),
  'trailers that are a request': (random, hidden) => ({
    line: random.pick([POST, 'GET /health HTTP/1.1']),
    fields: [encoding(random, 'chunked')],
    rest: `0\r\n${random.pick(['', 'X: y\r\n', '\n', 'Content-Length: 5\r\n'])}${hidden}`,
  }),
  'an odd length field': (random, hidden) => ({
    fields: [oddField(random, 'Content-Length', String(hidden.length)), ...random.pick([[], ['X: y']])],
    rest: hidden,
  }),
  'an odd encoding field': (random, hidden) => ({
    fields: [oddField(random, 'Transfer-Encoding', 'chunked')],
    rest: random.pick([chunked(hidden), `0\r\n\r\n${hidden}`]),
  }),
  'two Hosts': (random, hidden) => ({
    line: random.pick([POST, 'GET /health HTTP/1.1']),
    fields: ['Host: b', length(random, 0)],
    rest: hidden,
  }),
  'no length': (random, hidden) => ({ fields: random.pick([[], ['X: y']]), rest: hidden }),
  'a length over the limit': (random, hidden) => ({
    fields: [length(random, random.pick([33_554_433, 99_999_999, '9'.repeat(18)]))],
    rest: hidden,
  }),
  'a method that HTTP does not know': (random, hidden) => ({
    line: `${random.pick(['post', 'Post', 'get', 'FOO', 'CONNECT', 'P\xd6ST'])} /health HTTP/1.1`,
    fields: [length(random, 0)],
    rest: hidden,
  }),
  'another version': (random, hidden) => ({
    line: `GET /health ${random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/1', 'http/1.1', 'HTTP/1.1 ', 'HTTP/01.1'])}`,
    fields: random.pick([
      [],
      ['Connection: keep-alive'],
      ['Transfer-Encoding: chunked'],
      ['Content-Length: 0'],
    ]),
    rest: random.pick([hidden, `0\r\n\r\n${hidden}`]),
  }),
  'another target': (random, hidden) => ({
    line: `GET ${random.pick(['http://a/health', '*', 'a:80', '/h\xe9alth', '/he\x7flth', 'health', '/a b'])} HTTP/1.1`,
    fields: [length(random, 0)],
    rest: hidden,
  }),
  'a last request': (random, hidden) => ({
    line: random.pick(['GET /health HTTP/1.1', 'GET /nowhere HTTP/1.1', 'POST /v1/models HTTP/1.1', POST]),
    fields: [
      `${either(random, 'Connection')}: ${random.pick(['close', 'Close', 'CLOSE', 'foo, close', 'close, foo', 'close\r\nConnection: keep-alive', 'keep-alive\r\nConnection: close'])}`,
      length(random, 0),
    ],
    rest: hidden,
  }),
  'a refused expectation': (random, hidden) => ({
    line: random.pick(['POST /nowhere HTTP/1.1', 'GET /v1/decide HTTP/1.1', 'GET /health HTTP/1.1']),
    fields: [`Expect: ${random.pick(['100-continue', '100-Continue'])}`, length(random, 0)],
    rest: hidden,
  }),
  'a request in a body': (random, hidden) => ({
    line: random.pick([POST, 'GET /health HTTP/1.1', 'POST /nowhere HTTP/1.1', 'POST /v1/models HTTP/1.1']),
    fields: [length(random, random.pick([hidden.length, `0${hidden.length}`]))],
    rest: hidden,
  }),
};

/** Fields behind one without a name, which uWebSockets.js does not show. */
const NAMELESS: Readonly<Record<string, Make>> = {
  'a length behind a field without a name': (random, hidden) => ({
    line: random.pick(['GET /health HTTP/1.1', 'GET /nowhere HTTP/1.1', POST]),
    fields: [`:${random.pick(['', ' ', ' x'])}`, length(random, hidden.length)],
    rest: hidden,
  }),
  'an encoding behind a field without a name': (random, hidden) => ({
    fields: [length(random, 0), ': x', encoding(random, 'chunked')],
    rest: chunked(hidden),
  }),
};

/** The names of all anomalies, by which of the two must refuse them. */
export const DESYNC_CLASSES = { ofLibrary: Object.keys(NAMELESS), ofServer: Object.keys(ANOMALIES) };

/** Case number `number` of a generator; `nameless` takes it from the class that uWebSockets.js cannot tell. */
export function desyncCase(random: Random, id: string, nameless: boolean): DesyncCase {
  const anomalies = Object.entries(nameless ? { ...ANOMALIES, ...NAMELESS } : ANOMALIES);
  const [name, make] = random.pick(anomalies);
  const { line = POST, fields, rest } = make(random, canary(id));
  const known = ['Host: a', 'Authorization: Bearer attack', ...random.pick([[], ['Accept: */*', 'X-Y: z']])];
  const at = random.integer(known.length) + 1;
  const all = [...known.slice(0, at), ...fields, ...known.slice(at)];
  return { name, bytes: `${line}\r\n${all.join('\r\n')}\r\n\r\n${rest}` };
}

/** The bytes in one packet or several, cut anywhere. */
export function packets(random: Random, bytes: string): Buffer[] {
  const all = Buffer.from(bytes, 'latin1');
  const cuts = Array.from({ length: random.integer(4) }, () => random.integer(all.length)).sort(
    (a, b) => a - b,
  );
  const ends = [...cuts, all.length];
  return ends.map((end, at) => all.subarray(ends[at - 1] ?? 0, end)).filter(({ length }) => length > 0);
}
