import { ApiError } from '../api/index.js';
import type { App, Authorized } from './app.js';
import { type AuthorizedOptions, answerAuthorized } from './authorized.js';
import type { TrustedProxies } from './client-address.js';
import type { ConsoleSite } from './console/serve.js';
import { checkMethodKnown, type Framing, isOriginForm, readFraming, valuesOf } from './head.js';
import { chooseRoute, readTarget, type Target } from './match.js';
import { endsByRequest, endsWithError, tooLongToDiscard, unreadReason } from './persistence.js';
import { errorReply, malformedReply, okReply, type RouteReply } from './reply.js';
import { OPEN } from './routes.js';
import { ClientGone, type Handler, type HeaderList, type Incoming, type Reply } from './transport/types.js';

/**
 * The log entry of a request (contract 8 `data handling`). What a transport answers without calling the handler, such
 * as malformed bytes, makes no entry.
 */
export interface AccessEntry {
  /** `-` if it is not a usual one: callers' own text is not logged. */
  readonly method: string;
  /** The path of the route, without a model, never the target sent; `-` if no route matches. */
  readonly path: string;
  /** 499 if the client disconnected before the response. */
  readonly status: number;
  /** From the end of the request's head to the response or the disconnect. */
  readonly durationMs: number;
  readonly requestId: string;
  /** The client's IP address; `-` if its connection was gone. */
  readonly client: string;
}

interface PipelineOptions extends AuthorizedOptions {
  readonly app: App;
  /** The model that answers every request, whatever it names; null: requests name theirs. */
  readonly model: string | null;
  /** Null: the endpoint has none. */
  readonly console: ConsoleSite | null;
  readonly newRequestId: () => string;
  readonly proxies: TrustedProxies;
  readonly onAccess: (entry: AccessEntry) => void;
  /** Receives errors other than `ApiError`; the caller sees only `internal_error`. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
}

const CLIENT_GONE_STATUS = 499;
const USUAL_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
]);

/** The handler for a transport: answers every request and logs it. */
export function createPipeline(options: PipelineOptions): Handler {
  return async (incoming) => {
    const started = options.clock.monotonic();
    const requestId = options.newRequestId();
    let begun = false;
    const watched: Incoming = {
      ...incoming,
      onBody(listener) {
        begun = true;
        incoming.onBody(listener);
      },
    };
    const reply = await answer(options, watched, requestId);
    options.onAccess({
      method: USUAL_METHODS.has(incoming.method) ? incoming.method : '-',
      path: readTarget(incoming.target)?.routes[0]?.path ?? '-',
      status: incoming.signal.aborted ? CLIENT_GONE_STATUS : reply.status,
      durationMs: options.clock.monotonic() - started,
      requestId,
      client: options.proxies.clientOf(incoming),
    });
    return { ...reply, close: reply.close || endsByRequest(incoming, begun) };
  };
}

async function answer(options: PipelineOptions, incoming: Incoming, requestId: string): Promise<Reply> {
  const { app } = options;
  let framing: Framing | undefined;
  let own: HeaderList | null = null;
  if (!isOriginForm(incoming.target)) return malformedReply(requestId, 505);
  try {
    checkMethodKnown(incoming.method);
    framing = readFraming(incoming.headers);
    const target = findTarget(options, incoming);
    const route = chooseRoute(target, incoming.method);
    const model = target.model ?? options.model;
    let reply: RouteReply;
    own = [];
    if (route.token) {
      const caller = app.authorize(valuesOf(incoming.headers, 'authorization'));
      own = keyHeaders(caller);
      const { id } = target;
      reply = await answerAuthorized(options, { route, model, id }, caller, incoming, framing);
    } else {
      const { id } = target;
      reply = OPEN[route.name](app, { model, id, headers: incoming.headers, console: options.console });
    }
    const headers = [...own, ...(reply.headers ?? [])];
    return { ...okReply(requestId, reply, headers), close: tooLongToDiscard(framing) };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : unexpected(options, thrown, requestId);
    const headers = own ?? callerHeaders(app, incoming);
    const refusal = errorReply(requestId, error, endsWithError(error, framing), headers);
    const unread = unreadReason(error, framing);
    return unread === undefined ? refusal : { ...refusal, unread };
  }
}

/** Headers of every response to an authenticated caller, errors included (contract 4.1). */
function keyHeaders({ keyId, keyExpires }: Authorized): HeaderList {
  return [
    ['Service-Key-Id', keyId],
    ['Service-Key-Expires', keyExpires],
  ];
}

/** The same for a response that precedes authentication, such as an unknown path. */
function callerHeaders(app: App, { headers }: Incoming): HeaderList {
  const tokens = valuesOf(headers, 'authorization');
  if (tokens.length === 0) return [];
  try {
    return keyHeaders(app.authorize(tokens));
  } catch {
    return [];
  }
}

function findTarget({ app, model }: PipelineOptions, { target }: Incoming): Target {
  const found = readTarget(target);
  if (found === undefined) throw new ApiError('not_found', 'No such path.');
  if (found.model !== null && !app.serves(found.model, model)) {
    throw new ApiError('model_not_found', 'The model in the path is not served here.');
  }
  return found;
}

function unexpected(options: PipelineOptions, error: unknown, requestId: string): ApiError {
  if (!isDisconnect(error)) options.onUnexpected(error, requestId);
  return new ApiError('internal_error', 'The server failed to answer this request.');
}

/** Whether work was abandoned because the client disconnected, which is not a failure. */
function isDisconnect(error: unknown): boolean {
  return error instanceof ClientGone || (error instanceof Error && error.name === 'AbortError');
}
