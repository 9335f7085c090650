import { LIMITS } from '../../../src/api/index.js';
import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from '../../../src/http/transport/transport-types.js';
import { request } from './raw-client.js';

/**
 * What is sent on a connection, and what becomes of it: the answers in their order, each a status and the type of an
 * error, and whether the connection is `kept`, is `closed`, or `waits` for more of what it took for half a request.
 */
export interface Exchange {
  readonly name: string;
  /** Characters are bytes. */
  readonly send: string;
  readonly expected: string;
  /** What becomes of it on uWebSockets.js where that differs: see the top of `transport/uws.ts`. */
  readonly uws?: string;
  /** uWebSockets.js answers by itself: a page of its own with this status, none of our headers. */
  readonly uwsAlone?: true;
  /** Headers of the last answer. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
}

type Headers = Readonly<Record<string, string | null>>;
const get = (target: string, headers: Headers = {}) => request('GET', target, null, headers);
const decide = (headers: Headers = {}, body = '{}') => request('POST', '/v1/decide', body, headers);
const line = (text: string) => `${text}\r\nHost: a\r\n\r\n`;
const unsized = { 'Content-Length': null };
const health = get('/health');

const alone = (name: string, send: string, expected: string): Exchange => ({
  name,
  send,
  expected,
  uwsAlone: true,
});
const both = (name: string, send: string, expected: string): Exchange => ({
  name,
  send,
  expected,
});
const differs = (name: string, send: string, expected: string, uws: string): Exchange => ({
  name,
  send,
  expected,
  uws,
});

const REQUEST_LINES: readonly Exchange[] = [
  alone('HTTP/1.0', line('GET /health HTTP/1.0'), '505 http_version_not_supported, closed'),
  alone(
    'HTTP/1.0 with keep-alive',
    line('GET /health HTTP/1.0\r\nConnection: keep-alive'),
    '505 http_version_not_supported, closed',
  ),
  alone('HTTP/1.2', line('GET /health HTTP/1.2'), '505 http_version_not_supported, closed'),
  alone('HTTP/2.0', line('GET /health HTTP/2.0'), '505 http_version_not_supported, closed'),
  alone(
    'the preface of HTTP/2',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '505 http_version_not_supported, closed',
  ),
  alone('an absolute target', line('GET http://a/health HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone(
    'an absolute target elsewhere',
    line('GET https://b:1/health HTTP/1.1'),
    '505 http_version_not_supported, closed',
  ),
  alone('the target *', line('OPTIONS * HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone('an authority', line('CONNECT a:443 HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone('a target without a slash', line('GET health HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone('a backslash', line('GET \\health HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone('tabs for spaces', line('GET\t/health\tHTTP/1.1'), '505 http_version_not_supported, closed'),
  alone(
    'a space behind the version',
    line('GET /health HTTP/1.1 '),
    '505 http_version_not_supported, closed',
  ),
  alone('a space in the target', line('GET /health x HTTP/1.1'), '505 http_version_not_supported, closed'),
  alone(
    'a control character in the target',
    line('GET /he\x01alth HTTP/1.1'),
    '505 http_version_not_supported, closed',
  ),
  alone('line feeds alone', 'GET /health HTTP/1.1\nHost: a\n\n', '505 http_version_not_supported, closed'),
  alone('noise', '\0\x01\x02 noise\r\n\r\n', '505 http_version_not_supported, closed'),
  alone('TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n', '505 http_version_not_supported, closed'),
  both(
    'a target that is not ASCII',
    line('GET /h\xe9alth HTTP/1.1'),
    '505 http_version_not_supported, closed',
  ),
  both('a DEL in the target', line('GET /he\x7falth HTTP/1.1'), '505 http_version_not_supported, closed'),
  both('a method in lower case', line('get /health HTTP/1.1'), '400 invalid_request, closed'),
  both('an unknown method', line('FOO /health HTTP/1.1'), '400 invalid_request, closed'),
  both('a method of 300 letters', line(`${'X'.repeat(300)} /health HTTP/1.1`), '400 invalid_request, closed'),
  both('CONNECT to a path', line('CONNECT /health HTTP/1.1'), '400 invalid_request, closed'),
  differs('no version', 'GET /health\r\n\r\n', '505 http_version_not_supported, closed', 'nothing, waits'),
  differs('a word', 'hello\r\n\r\n', '505 http_version_not_supported, closed', 'nothing, waits'),
  differs('an empty line before the request', `\r\n${health}`, '200, kept', 'nothing, waits'),
  {
    ...differs(
      'two spaces',
      line('GET  /health HTTP/1.1'),
      '200, kept',
      '505 http_version_not_supported, closed',
    ),
    uwsAlone: true,
  },
];

const METHODS: readonly Exchange[] = [
  both('GET', health, '200, kept'),
  both('HEAD where GET goes', request('HEAD', '/health'), '200, kept'),
  both('HEAD where only POST goes', request('HEAD', '/v1/decide'), '405, kept'),
  both('HEAD of nothing', request('HEAD', '/nowhere'), '404, kept'),
  {
    ...both('OPTIONS', request('OPTIONS', '/v1/decide'), '405 method_not_allowed, kept'),
    headers: { allow: 'POST', 'access-control-allow-origin': undefined },
  },
  {
    ...both('OPTIONS of a path with GET', request('OPTIONS', '/v1/models'), '405 method_not_allowed, kept'),
    headers: { allow: 'GET, HEAD' },
  },
  both('OPTIONS of nothing', request('OPTIONS', '/nowhere'), '404 not_found, kept'),
  both('GET where only POST goes', get('/v1/decide'), '405 method_not_allowed, kept'),
  both('PUT', request('PUT', '/v1/decide', '{}'), '405 method_not_allowed, kept'),
  both('TRACE', line('TRACE /health HTTP/1.1'), '405 method_not_allowed, kept'),
  both('PROPFIND', line('PROPFIND /health HTTP/1.1'), '405 method_not_allowed, kept'),
];

const TARGETS: readonly Exchange[] = [
  both('a query', get('/health?a=b&c=%20?/'), '200, kept'),
  both('an empty query', get('/health?'), '200, kept'),
  both('a query on POST', request('POST', '/v1/decide?a=b', '{}'), '200, kept'),
  both('a long query', get(`/health?${'a'.repeat(15_000)}`), '200, kept'),
  both('characters that URLs should not hold', get('/health?"<>|{}^`'), '200, kept'),
  both('no path', get('/'), '404 not_found, kept'),
  both('another version', request('POST', '/v2/decide', '{}'), '404 not_found, kept'),
  both('an encoded letter', get('/%68ealth'), '404 not_found, kept'),
  both('an encoded slash', request('POST', '/v1%2fdecide', '{}'), '404 not_found, kept'),
  both('a wrong encoding', get('/%zz'), '404 not_found, kept'),
  both('a doubled slash', get('//health'), '404 not_found, kept'),
  both('a doubled slash inside', request('POST', '/v1//decide', '{}'), '404 not_found, kept'),
  both('a slash at the end', get('/health/'), '404 not_found, kept'),
  both('dots', get('/v1/../health'), '404 not_found, kept'),
  both('another case', get('/Health'), '404 not_found, kept'),
  both('a fragment', get('/health#x'), '404 not_found, kept'),
  both('parameters', get('/health;a=b'), '404 not_found, kept'),
  both('a model', get('/m/m/health'), '200, kept'),
  both('a model not served', get('/m/n/health'), '404 model_not_found, kept'),
  both('an encoded model', get('/m/%6d/health'), '404 model_not_found, kept'),
  both('an empty model', get('/m//health'), '404 not_found, kept'),
];

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`X-${at}`, 'y']));
const padded = (bytes: number) => get('/health', { X: 'x'.repeat(bytes - get('/health', { X: '' }).length) });

const HEADERS: readonly Exchange[] = [
  both('the largest head', padded(MAX_HEADER_BYTES), '200, kept'),
  alone('a byte more', padded(MAX_HEADER_BYTES + 1), '431 headers_too_large, closed'),
  alone(
    'a target that is too long',
    get(`/health?${'a'.repeat(MAX_HEADER_BYTES)}`),
    '431 headers_too_large, closed',
  ),
  both('the most fields', get('/health', fields(MAX_HEADER_FIELDS)), '200, kept'),
  alone('a field more', get('/health', fields(MAX_HEADER_FIELDS + 1)), '431 headers_too_large, closed'),
  both('a Host twice', get('/health', { Host: 'a\r\nHost: a' }), '400 invalid_request, closed'),
  both('an empty Host', get('/health', { Host: '' }), '200, kept'),
  both('a value that is not ASCII', get('/health', { X: '\xe9' }), '200, kept'),
  both('a tab in a value', get('/health', { X: 'a\tb' }), '200, kept'),
  differs(
    'an upgrade that is not taken',
    get('/health', { Connection: 'Upgrade', Upgrade: 'h2c' }),
    '200, closed',
    '200, kept',
  ),
  differs('no Host', get('/health', { Host: null }), '400 invalid_request, closed', 'nothing, waits'),
  differs(
    'a folded value',
    get('/health', { X: 'a\r\n b' }),
    '400 invalid_request, closed',
    'nothing, waits',
  ),
  differs(
    'a field without a colon',
    line('GET /health HTTP/1.1\r\nfoo'),
    '400 invalid_request, closed',
    'nothing, waits',
  ),
  differs(
    'a space before the colon',
    line('GET /health HTTP/1.1\r\nX : a'),
    '400 invalid_request, closed',
    'nothing, waits',
  ),
  differs(
    'a control character in a value',
    get('/health', { X: 'a\x01b' }),
    '400 invalid_request, closed',
    'nothing, waits',
  ),
  differs(
    'a line feed in a value',
    get('/health', { X: 'a\nY: b' }),
    '400 invalid_request, closed',
    'nothing, waits',
  ),
];

const FRAMING: readonly Exchange[] = [
  both('a body', decide(), '200, kept'),
  both('an empty body', decide({}, ''), '200, kept'),
  both('a body on GET', request('GET', '/health', '{}'), '200, kept'),
  both('no length', decide(unsized, ''), '411 length_required, closed'),
  both(
    'chunks',
    decide({ ...unsized, 'Transfer-Encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'),
    '411 length_required, closed',
  ),
  both(
    'chunks on GET',
    get('/health', { 'Transfer-Encoding': 'chunked' }).concat('0\r\n\r\n'),
    '200, closed',
  ),
  both(
    'chunks twice',
    decide({ ...unsized, 'Transfer-Encoding': 'chunked\r\nTransfer-Encoding: chunked' }, '0\r\n\r\n'),
    '400 invalid_request, closed',
  ),
  both(
    'another transfer encoding',
    decide({ ...unsized, 'Transfer-Encoding': 'gzip' }, ''),
    '400 invalid_request, closed',
  ),
  both(
    'another transfer encoding, then chunks',
    decide({ ...unsized, 'Transfer-Encoding': 'gzip, chunked' }, '0\r\n\r\n'),
    '400 invalid_request, closed',
  ),
  {
    ...differs(
      'chunks that cannot be read',
      decide({ ...unsized, 'Transfer-Encoding': 'chunked' }, 'zz\r\n{}\r\n0\r\n\r\n'),
      '411 length_required, closed',
      '400, closed',
    ),
    uwsAlone: true,
  },
  alone('a length and chunks', decide({ 'Transfer-Encoding': 'chunked' }), '400 invalid_request, closed'),
  alone('a length and identity', decide({ 'Transfer-Encoding': 'identity' }), '400 invalid_request, closed'),
  both(
    'a length twice',
    decide({ 'Content-Length': '2\r\nContent-Length: 2' }),
    '400 invalid_request, closed',
  ),
  both('two lengths', decide({ 'Content-Length': '2\r\nContent-Length: 3' }), '400 invalid_request, closed'),
  both('an empty length', decide({ 'Content-Length': '' }), '400 invalid_request, closed'),
  both('a length in spaces', decide({ 'Content-Length': '  2 ' }), '200, kept'),
  both('a length with a zero before it', decide({ 'Content-Length': '02' }), '200, kept'),
  ...['2, 2', '2 2', '+2', '-2', '0x2', '2.0', '2x', 'two', '99999999999999999999'].map((length) =>
    both(`the length ${length}`, decide({ 'Content-Length': length }), '400 invalid_request, closed'),
  ),
  both(
    'a length over the limit',
    decide({ 'Content-Length': String(LIMITS.bodyBytes + 1) }, ''),
    '413 body_too_large, closed',
  ),
  differs('more than the length', decide({ 'Content-Length': '2' }, '{}xyz'), '200, closed', '200, waits'),
];

/** What is sent behind a last answer, in the same packet, gets none. */
const BEHIND: readonly Exchange[] = [
  both(
    'behind two lengths',
    decide({ 'Content-Length': '0\r\nContent-Length: 2' }, '') + health,
    '400 invalid_request, closed',
  ),
  both(
    'behind a length that is no number',
    decide({ 'Content-Length': '+0' }, '') + health,
    '400 invalid_request, closed',
  ),
  both(
    'behind another encoding',
    decide({ ...unsized, 'Transfer-Encoding': 'gzip' }, '0\r\n\r\n') + health,
    '400 invalid_request, closed',
  ),
  both('behind two Hosts', get('/health', { Host: 'a\r\nHost: b' }) + health, '400 invalid_request, closed'),
  both('behind an unknown method', line('get /health HTTP/1.1') + health, '400 invalid_request, closed'),
  alone('behind HTTP/1.0', line('GET /health HTTP/1.0') + health, '505 http_version_not_supported, closed'),
  differs('behind no length', decide(unsized, '') + health, '411 length_required, closed', 'nothing, closed'),
  differs(
    'behind chunks',
    decide({ ...unsized, 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n') + health,
    '411 length_required, closed',
    'nothing, closed',
  ),
  differs(
    'behind a last request',
    get('/health', { Connection: 'close' }) + health,
    '200, closed',
    'nothing, closed',
  ),
  // Why this transport is not the default.
  differs(
    'behind a field without a name',
    get('/health', { Host: `a\r\n: x\r\nContent-Length: ${health.length}` }) + health,
    '400 invalid_request, closed',
    '200 200, kept',
  ),
];

const CONTENT: readonly Exchange[] = [
  ...[
    'application/json',
    'application/json;charset=latin1;;;',
    'application/json, text/plain',
    'application/json\r\nContent-Type: application/json',
    'application / json',
    'application/x-www-form-urlencoded',
    '',
    'multipart/form-data; boundary=a',
    'multipart/form-data; Boundary="a b"; charset=x',
    'multipart/form-data',
  ].map((type) => both(`the type "${type}"`, decide({ 'Content-Type': type }), '200, kept')),
  both('no type', decide({ 'Content-Type': null }), '200, kept'),
  ...['multipart/mixed; boundary=a', 'multipart/form-data\r\nContent-Type: application/json'].map((type) =>
    both(`the type "${type}"`, decide({ 'Content-Type': type }), '415 unsupported_media_type, kept'),
  ),
  ...['gzip', 'GZIP', 'zstd'].map((encoding) =>
    both(`the encoding ${encoding}`, decide({ 'Content-Encoding': encoding }), '200, kept'),
  ),
  ...['br', 'x-gzip', 'gzip, gzip', 'gzip\r\nContent-Encoding: gzip', '', 'identity'].map((encoding) =>
    both(
      `the encoding "${encoding}"`,
      decide({ 'Content-Encoding': encoding }),
      '415 unsupported_encoding, kept',
    ),
  ),
];

const CONNECTIONS: readonly Exchange[] = [
  both('close', get('/health', { Connection: 'close' }), '200, closed'),
  both('Close, among others', get('/health', { Connection: 'foo, Close' }), '200, closed'),
  both(
    'close with an error',
    decide({ Connection: 'close', 'Content-Type': 'multipart/b' }),
    '415 unsupported_media_type, closed',
  ),
  both('keep-alive', get('/health', { Connection: 'keep-alive' }), '200, kept'),
  both('three requests in a packet', health + get('/nowhere') + health, '200 404 not_found 200, kept'),
  both(
    'a refused body, then a request, in a packet',
    request('POST', '/nowhere', '{}') + health,
    '404 not_found 200, kept',
  ),
  both(
    'a request behind one of another type',
    decide({ 'Content-Type': 'multipart/b' }) + health,
    '415 unsupported_media_type 200, kept',
  ),
  differs(
    'a request behind one that waits for its answer',
    decide() + health,
    '200 200, kept',
    'nothing, closed',
  ),
  differs('noise behind a request', `${health}noise\r\n\r\n`, '200, closed', '200, waits'),
  both('Expect', decide({ Expect: '100-continue' }), '200, kept'),
  both('Expect of something else', decide({ Expect: 'wonders' }), '200, kept'),
  both(
    'Expect, refused by its type',
    decide({ Expect: '100-continue', 'Content-Type': 'multipart/b' }, ''),
    '415 unsupported_media_type, closed',
  ),
  both(
    'Expect, refused by its path',
    request('POST', '/nowhere', '', { Expect: '100-continue', 'Content-Length': '2' }),
    '404 not_found, closed',
  ),
  both(
    'Expect, too large',
    decide({ Expect: '100-continue', 'Content-Length': '99999999' }, ''),
    '413 body_too_large, closed',
  ),
  both('Expect without a body', get('/health', { Expect: '100-continue' }), '200, closed'),
];

export const EXCHANGES: Readonly<Record<string, readonly Exchange[]>> = {
  'request lines': REQUEST_LINES,
  methods: METHODS,
  targets: TARGETS,
  headers: HEADERS,
  framing: FRAMING,
  'behind a last answer': BEHIND,
  content: CONTENT,
  connections: CONNECTIONS,
};
