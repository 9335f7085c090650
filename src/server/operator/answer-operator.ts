import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/index.js';
import {
  arrivalOf,
  type ConsoleFiles,
  checkSite,
  consoleFileReply,
  type HeaderList,
  headerList,
  MALFORMED,
  type MalformedStatus,
  type TrustedProxies,
} from '../../http/index.js';
import type { OperatorCall } from './api/operator-call.js';
import { readJsonBody } from './operator-body.js';
import { JSON_TYPE, type OperatorReply } from './operator-reply.js';
import { notAllowed, type OperatorRoute, pathOf, readTarget } from './operator-target.js';
import { Refusal, refusalOf } from './refusal.js';
import { carriesToken } from './token.js';

/** What each route does. Errors are answered as `refusalOf` says; others 500, and reported. */
export type OperatorHandlers = Readonly<
  Record<OperatorRoute['name'], (call: OperatorCall) => OperatorReply | Promise<OperatorReply>>
>;

export interface AnswerOptions {
  readonly token: string;
  /** Names of the listener besides addresses and `localhost`. */
  readonly hosts: readonly string[];
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly handlers: OperatorHandlers;
  /** The files of the operator's console; null: it is off. */
  readonly console: ConsoleFiles | null;
  /** Receives the errors of handlers. Must not throw. */
  readonly onUnexpected: (error: unknown) => void;
}

/** A reply with its header fields. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Answers a request. The token comes before the path, but for the console: without it a path tells nothing about the routes. The console and
 * its interface are only served to pages of this site (see `checkSite`); a token makes the other routes safe.
 */
export async function answer(
  options: AnswerOptions,
  proxies: TrustedProxies,
  request: IncomingMessage,
): Promise<Answer> {
  const { method = '', url: target = '' } = request;
  const path = pathOf(target);
  try {
    const { wrong } = arrivalOf(request);
    if (wrong !== null) throw malformedRefusal(wrong);
    const headers = headerList(request.rawHeaders);
    const files = isConsolePath(path) ? options.console : null;
    if (files !== null || path.startsWith(INTERFACE)) checkSite(headers, options.hosts, 'operator.hosts');
    if (files !== null) return consoleFile(files, method, path, headers);
    if (!carriesToken(request.headers.authorization, options.token)) throw unauthorized();
    const { route, id, query } = readTarget(method, target);
    const body = route.method === 'GET' ? {} : await readJsonBody(request, options.clock);
    const peer = request.socket.remoteAddress ?? '';
    const actor = `operator:${proxies.clientOf({ peer, headers })}`;
    const reply = await options.handlers[route.name]({ id, query, body, actor });
    return { status: reply.status, headers: { 'Content-Type': reply.type, ...COMMON }, body: reply.body };
  } catch (error) {
    const refusal = refusalOf(error, subjectOf(path));
    if (refusal === null) options.onUnexpected(error);
    return refuse(refusal ?? UNEXPECTED, request);
  }
}

function malformedRefusal(status: MalformedStatus): Refusal {
  const [type, message] = MALFORMED[status];
  return new Refusal(type, message, null, { Connection: 'close' });
}

/** The response to bytes that node's parser does not accept. */
export function malformed(status: MalformedStatus) {
  const { body, headers } = malformedRefusal(status);
  const fields = Object.entries({ 'Content-Type': JSON_TYPE, ...COMMON, ...headers });
  return { status, headers: fields, body: JSON.stringify(body), close: true } as const;
}

/** The paths of the interface of the console. */
const INTERFACE = '/api/';

/** The argument of an administrative change that the path, or the body, calls `id`. */
function subjectOf(path: string): 'workspace' | 'key' | 'batch' | null {
  if (path.startsWith('/api/workspaces')) return 'workspace';
  if (path.startsWith('/api/batches/')) return 'batch';
  return path.startsWith('/api/keys/') ? 'key' : null;
}

function consoleFile(files: ConsoleFiles, method: string, path: string, headers: HeaderList): Answer {
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(['GET']);
  const file = consoleAnswer(files, path, headers);
  if (file === null) throw new Refusal('not_found', 'The console has no such file.');
  return file;
}

/** A response to a request whose body was not read closes the connection. */
function refuse({ status, body, headers }: Refusal, request: IncomingMessage): Answer {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const isUnread = (length !== '0' || encoding !== undefined) && !request.complete;
  return {
    status,
    headers: { 'Content-Type': JSON_TYPE, ...COMMON, ...headers, ...(isUnread && { Connection: 'close' }) },
    body: JSON.stringify(body),
  };
}

const unauthorized = () =>
  new Refusal(
    'unauthorized',
    'This listener needs the header Authorization: Bearer <operator token>.',
    null,
    { 'WWW-Authenticate': 'Bearer' },
  );

const UNEXPECTED = new Refusal(
  'internal_error',
  'The server failed to answer this request; its log has the reason.',
);

const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

/** The response with a file of the operator's console. */
interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The paths of the page. */
const PAGE_PATHS: readonly unknown[] = ['/', '/console'];
const FILES = '/console/';

/** Whether a path is one of the console. */
const isConsolePath = (path: string | undefined): boolean =>
  PAGE_PATHS.includes(path) || path?.startsWith(FILES) === true;

/**
 * The response to a GET or HEAD request for a path of the console; null if it has no such file. The files hold nothing
 * that is secret and need no token.
 */
function consoleAnswer(files: ConsoleFiles, path: string, fields: HeaderList): FileAnswer | null {
  const name = PAGE_PATHS.includes(path) ? null : path.slice(FILES.length);
  const reply = consoleFileReply(files, name, fields);
  if (reply === null) return null;
  const headers = { 'Content-Type': reply.type, ...Object.fromEntries(reply.headers) };
  return { status: reply.status ?? 200, headers, body: reply.status === 304 ? NOTHING : reply.body };
}

const NOTHING = new Uint8Array();
