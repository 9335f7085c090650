import { ApiError, type ErrorType, stopping } from '../api/index.js';
import { ThreadsEnding } from '../base/index.js';
import type { App, Authorized, DecisionFacts, Phases, Rates } from './app.js';
import { type AuthorizedOptions, answerAuthorized } from './authorized.js';
import type { TrustedProxies } from './client-address.js';
import type { ConsoleSite } from './console/serve-console.js';
import type { CrossOrigin } from './cross-origin.js';
import { checkMethodKnown, type Framing, isOriginForm, readFraming, valuesOf } from './head.js';
import { chooseRoute, readTarget, type Target } from './match.js';
import { endsByRequest, endsWithError, tooLongToDiscard, unreadReason } from './persistence.js';
import { errorReply, malformedReply, okReply, type RouteReply } from './reply.js';
import { OPEN } from './route-handlers.js';
import { readTraceParent, type TraceParent } from './trace-parent.js';
import {
  ClientGone,
  type Handler,
  type HeaderList,
  type Incoming,
  type Reply,
} from './transport/transport-types.js';

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
  /** Undefined: not authenticated. */
  readonly keyId: string | undefined;
  readonly workspace: string | undefined;
  /** The place of the request in its caller's trace; undefined: it names none. */
  readonly traceParent: TraceParent | undefined;
  /** The build that answered a decision. */
  readonly model: string | undefined;
  /** Phases of an answered decision, and when they began; see `DecisionFacts`. */
  readonly phases: Phases | undefined;
  readonly begun: Phases | undefined;
  /** Type of an error response. */
  readonly error: ErrorType | undefined;
}

interface PipelineOptions extends AuthorizedOptions {
  readonly app: App;
  /** The model that answers every request now, whatever it names; null: requests name theirs. */
  readonly model: () => string | null;
  /** Null: the endpoint has none. */
  readonly console: ConsoleSite | null;
  readonly crossOrigin: CrossOrigin;
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
    const { reply, caller, decision, error } = await answer(options, watched, requestId);
    const hasLeft = incoming.signal.aborted;
    const found = readTarget(incoming.target);
    options.onAccess({
      method: USUAL_METHODS.has(incoming.method) ? incoming.method : '-',
      path: found?.routes[0]?.path ?? '-',
      status: hasLeft ? CLIENT_GONE_STATUS : reply.status,
      durationMs: options.clock.monotonic() - started,
      requestId,
      client: options.proxies.clientOf(incoming),
      keyId: caller?.keyId,
      workspace: caller?.workspaceId,
      traceParent: readTraceParent(incoming.headers),
      model: decision?.build,
      phases: decision?.timing,
      begun: decision?.begun,
      error: hasLeft ? undefined : error,
    });
    const headers = [...reply.headers, ...options.crossOrigin.headersFor(incoming.headers, found)];
    return { ...reply, headers, close: reply.close || endsByRequest(incoming, begun) };
  };
}

/** A response, and what the log has of it. */
interface Answered {
  readonly reply: Reply;
  /** Null: not authenticated. */
  readonly caller: Authorized | null;
  readonly decision?: DecisionFacts | undefined;
  readonly error?: ErrorType;
}

async function answer(options: PipelineOptions, incoming: Incoming, requestId: string): Promise<Answered> {
  const { app } = options;
  let framing: Framing | undefined;
  // Undefined until the route is known.
  let caller: Authorized | null | undefined;
  if (!isOriginForm(incoming.target)) {
    return { reply: malformedReply(requestId, 505), caller: null, error: 'http_version_not_supported' };
  }
  try {
    checkMethodKnown(incoming.method);
    framing = readFraming(incoming.headers);
    const preflight = options.crossOrigin.preflight(incoming);
    if (preflight !== null) {
      return { reply: okReply(requestId, preflight, preflight.headers), caller: null };
    }
    const target = findTarget(options, incoming);
    const route = chooseRoute(target, incoming.method);
    const model = () => target.model ?? options.model();
    let reply: RouteReply;
    caller = null;
    if (route.token) {
      caller = app.authorize(valuesOf(incoming.headers, 'authorization'));
      const { id } = target;
      const match = { route, model, id, requestId };
      reply = await answerAuthorized(options, match, caller, incoming, framing);
    } else {
      const { id } = target;
      const call = { model: model(), id, headers: incoming.headers, console: options.console };
      reply = OPEN[route.name](app, call);
    }
    const headers = [...keyHeaders(caller), ...(reply.headers ?? [])];
    const sent = { ...okReply(requestId, reply, headers), close: tooLongToDiscard(framing) };
    return { reply: sent, caller, decision: reply.decision };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : unexpected(options, thrown, requestId);
    // A response that precedes authentication, such as to an unknown path, has the headers too.
    const known = caller === undefined ? callerOf(app, incoming) : caller;
    const form = readTarget(incoming.target)?.routes[0]?.errors;
    const refusal = errorReply(requestId, error, endsWithError(error, framing), keyHeaders(known), form);
    const unread = unreadReason(error, framing);
    const sent = unread === undefined ? refusal : { ...refusal, unread };
    return { reply: sent, caller: known, error: error.type };
  }
}

/** Headers of every response to an authenticated caller, errors included (contract 4.1). */
function keyHeaders(caller: Authorized | null): HeaderList {
  if (caller === null) return [];
  return [
    ['Service-Key-Id', caller.keyId],
    ['Service-Key-Expires', caller.keyExpires],
    ...rateHeaders(caller.rates()),
  ];
}

/** Null if the request has no token, or one that does not work. */
function callerOf(app: App, { headers }: Incoming): Authorized | null {
  const tokens = valuesOf(headers, 'authorization');
  if (tokens.length === 0) return null;
  try {
    return app.authorize(tokens);
  } catch {
    return null;
  }
}

function findTarget({ app, model }: PipelineOptions, { target }: Incoming): Target {
  const found = readTarget(target);
  if (found === undefined) throw new ApiError('not_found', 'The path does not exist.');
  if (found.model !== null && !app.serves(found.model, model())) {
    throw new ApiError(
      'model_not_found',
      'This endpoint does not serve the model in the path. GET /v1/models lists its models.',
    );
  }
  return found;
}

function unexpected(options: PipelineOptions, error: unknown, requestId: string): ApiError {
  // The time for the requests in flight is over.
  if (error instanceof ThreadsEnding) return stopping();
  if (!isDisconnect(error)) options.onUnexpected(error, requestId);
  return new ApiError('internal_error', 'The server failed to answer this request.');
}

/** Whether work was abandoned because the client disconnected, which is not a failure. */
function isDisconnect(error: unknown): boolean {
  return error instanceof ClientGone || (error instanceof Error && error.name === 'AbortError');
}

/**
 * The limits of a key and what is left of them, in the form that clients of other services know (contract 4.1). The
 * response's own request is counted. A reset is a duration in seconds, such as `59.25s`.
 */
export function rateHeaders({ limit, left, resetMs }: Rates): HeaderList {
  const reset = `${Math.ceil(resetMs) / 1_000}s`;
  return [
    ['X-RateLimit-Limit-Requests', String(limit.requests)],
    ['X-RateLimit-Remaining-Requests', String(left.requests)],
    ['X-RateLimit-Reset-Requests', reset],
    ['X-RateLimit-Limit-Bytes', String(limit.bytes)],
    ['X-RateLimit-Remaining-Bytes', String(left.bytes)],
    ['X-RateLimit-Reset-Bytes', reset],
  ];
}
