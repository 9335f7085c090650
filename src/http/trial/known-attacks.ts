/**
 * Bytes with which a caller tries to have a second request executed in another caller's name: the first request ends its
 * connection, or holds the second one in its body. A proxy in front that shares connections between callers may take the
 * second one for a part of the first.
 */
export interface KnownAttack {
  /** What is wrong with the first request. */
  readonly name: string;
  /**
   * Whether the HTTP library must refuse it. What is wrong with the others is visible to the server, which refuses them
   * on every library.
   */
  readonly byLibrary: boolean;
  /** Characters are bytes. `hidden` is the request that must not be executed. */
  bytes(hidden: string): string;
}

/** The fields and what follows the head; another request line than that of a decision. */
type Make = (hidden: string) => readonly [fields: readonly string[], rest: string, line?: string];

const POST = 'POST /v1/decide HTTP/1.1';
const HEALTH = 'GET /health HTTP/1.1';
const hex = (text: string) => text.length.toString(16);
const chunked = (text: string) => `${hex(text)}\r\n${text}\r\n0\r\n\r\n`;
const END = '0\r\n\r\n';
const CHUNKED = 'Transfer-Encoding: chunked';
const length = (value: number | string) => `Content-Length: ${value}`;

/** Fields behind one without a name, which some versions of uWebSockets.js do not show. */
const OF_LIBRARY: Readonly<Record<string, readonly Make[]>> = {
  'a length behind a field without a name': [
    (hidden) => [[':', length(hidden.length)], hidden, HEALTH],
    (hidden) => [[': x', length(hidden.length)], hidden],
  ],
  'an encoding behind a field without a name': [(hidden) => [[length(0), ': x', CHUNKED], chunked(hidden)]],
};

/** One entry per class of anomaly that the tests generate at random (`test/support/http/desync.ts`). */
const OF_SERVER: Readonly<Record<string, readonly Make[]>> = {
  'two lengths': [
    (hidden) => [[length(0), length(hidden.length)], hidden],
    (hidden) => [[length(hidden.length), length(0)], hidden],
  ],
  'the same length twice': [(hidden) => [[length(hidden.length), length(hidden.length)], hidden + hidden]],
  'a length that is no number': [
    (hidden) => [[length('')], hidden],
    (hidden) => [[length(`+${hidden.length}`)], hidden],
    (hidden) => [[length(`0x${hex(hidden)}`)], hidden],
    (hidden) => [[length(`0, ${hidden.length}`)], hidden],
    (hidden) => [[length(String(2n ** 64n + BigInt(hidden.length)))], hidden],
    (hidden) => [[length(`${hidden.length}\x00`)], hidden],
  ],
  'a length and an encoding': [
    (hidden) => [[length(0), CHUNKED], chunked(hidden)],
    (hidden) => [[length(hidden.length), CHUNKED], END + hidden],
  ],
  'another encoding': [
    (hidden) => [['Transfer-Encoding: gzip'], hidden],
    (hidden) => [['Transfer-Encoding: gzip, chunked'], END + hidden],
    (hidden) => [['Transfer-Encoding: xchunked'], chunked(hidden)],
  ],
  'two encodings': [(hidden) => [[CHUNKED, 'Transfer-Encoding: identity'], END + hidden]],
  'chunks, and something behind them': [(hidden) => [[CHUNKED], END + hidden, HEALTH]],
  'chunks with a wrong size': [
    (hidden) => [[CHUNKED], `0x${hex(hidden)}\r\n${hidden}\r\n${END}${hidden}`],
    (hidden) => [[CHUNKED], `-${hex(hidden)}\r\n${hidden}\r\n${END}${hidden}`],
    (hidden) => [[CHUNKED], `FFFFFFFFFFFFFFFE\r\n${hidden}\r\n${END}${hidden}`],
  ],
  'trailers that are a request': [(hidden) => [[CHUNKED], `0\r\n${hidden}`]],
  'an odd length field': [
    (hidden) => [[`Content-Length : ${hidden.length}`], hidden],
    (hidden) => [[` Content-Length: ${hidden.length}`], hidden],
    (hidden) => [[`X: y\n${length(hidden.length)}`], hidden],
    (hidden) => [[`Content-Length\x00: ${hidden.length}`], hidden],
    (hidden) => [[`Content-Length:\r\n ${hidden.length}`], hidden],
  ],
  'an odd encoding field': [
    (hidden) => [['Transfer-Encoding : chunked'], chunked(hidden)],
    (hidden) => [[' Transfer-Encoding: chunked'], END + hidden],
  ],
  'two Hosts': [(hidden) => [['Host: b', length(0)], hidden, HEALTH]],
  'no length': [(hidden) => [[], hidden]],
  'a length over the limit': [(hidden) => [[length(99_999_999)], hidden]],
  'a method that HTTP does not know': [(hidden) => [[length(0)], hidden, 'FOO /health HTTP/1.1']],
  'another version': [
    (hidden) => [[], hidden, 'GET /health HTTP/1.0'],
    (hidden) => [[CHUNKED], END + hidden, 'GET /health HTTP/1.0'],
  ],
  'another target': [(hidden) => [[length(0)], hidden, 'GET http://a/health HTTP/1.1']],
  'a last request': [
    (hidden) => [['Connection: close', length(0)], hidden],
    (hidden) => [['Connection: foo, close'], hidden, HEALTH],
  ],
  'a refused expectation': [
    (hidden) => [['Expect: 100-continue', length(0)], hidden, 'POST /nowhere HTTP/1.1'],
  ],
  'a request in a body': [
    (hidden) => [[length(hidden.length)], hidden],
    (hidden) => [[length(hidden.length)], hidden, HEALTH],
  ],
};

/** Every known attack, those that the library must refuse first. */
export const KNOWN_ATTACKS: readonly KnownAttack[] = [
  ...attacks(OF_LIBRARY, true),
  ...attacks(OF_SERVER, false),
];

function attacks(table: Readonly<Record<string, readonly Make[]>>, byLibrary: boolean): KnownAttack[] {
  return Object.entries(table).flatMap(([name, makes]) =>
    makes.map((make) => ({
      name,
      byLibrary,
      bytes(hidden) {
        const [fields, rest, line = POST] = make(hidden);
        const all = ['Host: a', 'Authorization: Bearer attack', ...fields];
        return `${line}\r\n${all.join('\r\n')}\r\n\r\n${rest}`;
      },
    })),
  );
}

/** The request that must not be executed. `token` identifies it. */
export function hiddenRequest(token: string): string {
  const body = '{}';
  return `POST /v1/decide HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
