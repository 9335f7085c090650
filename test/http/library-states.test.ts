/**
 * What node:http does on its own behind a header or a line that the program does not read: it drops bytes, answers, keeps
 * fields or hands over the connection. Each of these states is sent with another request behind it, in one packet and in
 * pieces. Whatever the library does, a request is answered or its connection is closed: none is lost on an open connection,
 * none is answered twice, and no trailer or second field gives a request another token. uWebSockets.js has a parser of its
 * own: see `desync`.
 */
import { connect } from 'node:net';
import { type Test, test } from 'tap';
import { ApiError, OPERATOR_API, OPERATOR_ROUTES } from '../../src/api/index.js';
import { systemClock } from '../../src/base/index.js';
import { MAX_HEADER_BYTES } from '../../src/http/transport/transport-types.js';
import type { OperatorHandlers } from '../../src/server/operator/answer-operator.js';
import { listenForOperator } from '../../src/server/operator/listener.js';
import { jsonReply } from '../../src/server/operator/operator-reply.js';
import { fakeApp, fakeCaller } from '../support/http/fake-app.js';
import { serve } from '../support/http/serving.js';
import { OPERATOR_TOKEN } from '../support/operator.js';

const BODY = '{"a":"b"}';

/** What is sent, by default a plain request. */
interface Sent {
  /** The first line, without the version. */
  readonly line?: string;
  readonly version?: string;
  readonly fields?: readonly string[];
  /** By default `BODY`, with its length. */
  readonly body?: string;
  readonly host?: boolean;
  readonly before?: string;
}

interface State extends Sent {
  readonly node: string;
  /** The statuses of the answers to it and to the request behind it; a single one: the connection was closed. */
  readonly answers: readonly number[];
  /** On the operator listener, if they are others. */
  readonly operator?: readonly number[];
  /** A status that may follow, if the bytes arrive before the connection is closed. */
  readonly maybe?: number;
}

const chunked = (text: string, extension = '', trailer = '') =>
  `${text.length.toString(16)}${extension}\r\n${text}\r\n0\r\n${trailer}\r\n`;
/** Where a listener takes a body, and where it answers without one: as `requestOf` finds them. */
const PATH = '/v1/decide';
const OPEN = '/health';
const LENGTH = `Content-Length: ${BODY.length}`;
const TE = 'Transfer-Encoding: chunked';
const long = (bytes: number) => 'x'.repeat(bytes);

const STATES: Readonly<Record<string, State>> = {
  'a plain request': { node: 'answers it', answers: [200, 200] },
  'HTTP/1.0': { node: 'closes after its answer, and ignores chunks', version: '1.0', answers: [505] },
  'HTTP/1.0 with keep-alive': {
    node: 'keeps the connection open',
    version: '1.0',
    fields: ['Connection: keep-alive'],
    answers: [505],
  },
  'HTTP/2': { node: 'pauses its parser', line: 'PRI *', version: '2.0', fields: [], answers: [505] },
  'no Host': {
    node: 'answers 400 itself, unless told otherwise',
    host: false,
    answers: [400],
    operator: [403],
  },
  'two Hosts': { node: 'drops the second one', fields: ['Host: b'], answers: [400], operator: [200, 200] },
  'CONNECT to a host': { node: 'hands the connection over', line: 'CONNECT a:80', answers: [505] },
  'CONNECT to a path': { node: 'hands the connection over', line: 'CONNECT /v1/decide', answers: [400] },
  'an absolute target': {
    node: 'leaves it as it is',
    line: `POST http://a${PATH}`,
    answers: [505],
    operator: [404],
  },
  'OPTIONS *': { node: 'leaves it as it is', line: 'OPTIONS *', answers: [505], operator: [404] },
  TRACE: { node: 'leaves it as it is', line: `TRACE ${PATH}`, answers: [405, 200], operator: [405] },
  'HEAD with a body': { node: 'drops the body of the answer', line: `HEAD ${OPEN}`, answers: [200, 200] },
  'GET with a body': { node: 'reads the body', line: `GET ${OPEN}`, answers: [200, 200] },
  Upgrade: {
    node: 'drops the rest of the packet',
    fields: ['Connection: Upgrade', 'Upgrade: h2c'],
    answers: [200],
  },
  'Connection: upgrade alone': { node: 'ignores it', fields: ['Connection: upgrade'], answers: [200, 200] },
  'Connection: close': {
    node: 'closes, and drops what was behind',
    fields: ['Connection: close'],
    answers: [200],
  },
  'Connection: keep-alive, close': {
    node: 'closes, and drops what was behind',
    fields: ['Connection: keep-alive, close'],
    answers: [200],
  },
  'Keep-Alive': { node: 'ignores it', fields: ['Keep-Alive: timeout=1, max=1'], answers: [200, 200] },
  'Proxy-Connection: close': {
    node: 'takes it for Connection, and closes',
    fields: ['Proxy-Connection: close'],
    answers: [200],
  },
  'Expect: 100-continue': {
    node: 'answers 100 before the handler runs, unless told otherwise',
    fields: ['Expect: 100-continue'],
    answers: [100, 200, 200],
  },
  'another Expect': {
    node: 'answers 417 itself, unless told otherwise',
    fields: ['Expect: tea'],
    answers: [200, 200],
  },
  chunks: { node: 'joins them', fields: [TE], body: chunked(BODY), answers: [411], operator: [200, 200] },
  'chunks with a trailer': {
    node: 'keeps the trailer',
    fields: [TE, 'Trailer: X-A'],
    body: chunked(BODY, '', 'X-A: b\r\nAuthorization: Bearer inner\r\n'),
    answers: [411],
    operator: [200, 200],
  },
  'a long trailer': {
    node: 'reports an overflow',
    fields: [TE],
    body: chunked(BODY, '', `X-A: ${long(MAX_HEADER_BYTES)}\r\n`),
    answers: [411],
    operator: [],
  },
  'a chunk extension': {
    node: 'drops it',
    fields: [TE],
    body: chunked(BODY, ';a=b'),
    answers: [411],
    operator: [200, 200],
  },
  'a long chunk extension': {
    node: 'reports an overflow',
    fields: [TE],
    body: chunked(BODY, `;a=${long(MAX_HEADER_BYTES)}`),
    answers: [411],
    operator: [],
  },
  'a length and chunks': { node: 'refuses it', fields: [LENGTH, TE], body: chunked(BODY), answers: [400] },
  'chunks within gzip': {
    node: 'takes it for chunks',
    fields: ['Transfer-Encoding: gzip, chunked'],
    body: chunked(BODY),
    answers: [400],
    operator: [200, 200],
  },
  'two lengths': { node: 'refuses it', fields: [LENGTH, LENGTH], body: BODY, answers: [400] },
  'a list of lengths': {
    node: 'refuses it',
    fields: [`${LENGTH}, ${BODY.length}`],
    body: BODY,
    answers: [400],
  },
  'a length with a sign': {
    node: 'refuses it',
    fields: [`Content-Length: +${BODY.length}`],
    body: BODY,
    answers: [400],
  },
  'a length that is too short': {
    node: 'takes the rest for a request',
    fields: ['Content-Length: 2'],
    body: `{}${BODY}`,
    answers: [200],
    maybe: 400,
  },
  'two Authorizations': {
    node: 'drops the second one',
    fields: ['Authorization: Bearer inner'],
    answers: [401, 200],
    operator: [200, 200],
  },
  'a folded field': { node: 'refuses it', fields: ['X-A: b', ' c'], answers: [400] },
  'a space before a colon': { node: 'refuses it', fields: ['X-A : b'], answers: [400] },
  'a field with a zero byte': { node: 'refuses it', fields: ['X-A: \0'], answers: [400] },
  'lines that end with LF': { node: 'refuses them', fields: ['X-A: b\nX-B: c'], answers: [400] },
  'empty lines before it': { node: 'drops them', before: '\r\n\r\n', answers: [200, 200] },
  'many fields': {
    node: 'drops those behind 2,000, unless told otherwise',
    fields: Array.from({ length: 2_100 }, () => 'a:b'),
    answers: [431],
  },
  'a long field': { node: 'answers 431 itself', fields: [`X-A: ${long(MAX_HEADER_BYTES)}`], answers: [431] },
};

/** All answers until the server closes the connection. */
function exchange(t: Test, port: number, parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const send = (at: number) => {
    if (at === parts.length || socket.destroyed) return;
    socket.write(parts[at] as string, 'latin1', () => setImmediate(() => send(at + 1)));
  };
  socket.setNoDelay(true);
  socket.once('connect', () => send(0));
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

/** A request in a state, for a listener. */
function requestOf(
  { line, version = '1.1', fields = [], body, host = true, before = '' }: Sent,
  { path, open, token }: Pick<Listener, 'path' | 'open' | 'token'>,
): string {
  const first = (line ?? `POST ${PATH}`).replace(PATH, path).replace(OPEN, open);
  const isWhole = body !== undefined;
  const head = [
    `${first} HTTP/${version}`,
    ...(host ? ['Host: 127.0.0.1'] : []),
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...(isWhole ? [] : [LENGTH]),
    ...fields,
  ];
  return `${before}${head.join('\r\n')}\r\n\r\n${body ?? BODY}`;
}

interface Listener {
  readonly name: string;
  readonly path: string;
  readonly token: string;
  readonly open: string;
  /** The port, and whether the canary has run. */
  start(t: Test): Promise<{ readonly port: number; readonly hasRun: () => boolean }>;
}

const callers: Listener = {
  name: 'callers',
  path: PATH,
  token: 'outer',
  open: OPEN,
  async start(t) {
    let hasRun = false;
    const app = fakeApp(
      (values) => {
        const [token = ''] = values;
        hasRun ||= token.includes('inner');
        if (values.length !== 1 || !token.includes('outer')) throw new ApiError('unauthorized', 'no');
        return fakeCaller({ decide: async () => ({ json: '{}', build: 'm', timing: {} }) });
      },
      { serves: () => true },
    );
    const { port } = await serve(t, 'node', undefined, { app });
    return { port, hasRun: () => hasRun };
  },
};

const operator: Listener = {
  name: 'operator',
  path: '/api/keys',
  token: OPERATOR_TOKEN,
  open: '/ready',
  async start(t) {
    const all = [...OPERATOR_ROUTES, ...OPERATOR_API];
    const handlers = Object.fromEntries(all.map(({ name }) => [name, () => jsonReply(200, {})]));
    const listener = await listenForOperator({
      host: '127.0.0.1',
      port: 0,
      token: OPERATOR_TOKEN,
      hosts: [],
      trustedProxies: [],
      keepAliveMs: 60_000,
      clock: systemClock,
      console: null,
      handlers: handlers as unknown as OperatorHandlers,
      onUnexpected: (error) => t.fail(String(error)),
    });
    t.teardown(() => listener.stop());
    return { port: Number(new URL(listener.url).port), hasRun: () => false };
  },
};

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

for (const listener of [callers, operator]) {
  test(`states of the library: ${listener.name}`, async (t) => {
    const { port, hasRun } = await listener.start(t);
    const behind = requestOf({ line: `GET ${OPEN}`, fields: ['Connection: close'], body: '' }, listener);
    for (const [name, state] of Object.entries(STATES)) {
      const { answers, operator: own = answers, maybe } = state;
      const expected = listener === operator ? own : answers;
      const sent = requestOf(state, listener);
      const middle = sent.length >> 1;
      for (const parts of [
        [sent + behind],
        [sent, behind],
        [sent.slice(0, middle), sent.slice(middle) + behind],
      ]) {
        const found = statusesIn(await exchange(t, port, parts));
        if (found.at(-1) === maybe) found.pop();
        t.strictSame(found, expected, `${name}: node ${state.node}`);
      }
      t.notOk(hasRun(), `${name}: the other token is not used`);
    }
  });
}
