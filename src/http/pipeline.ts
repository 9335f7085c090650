import { ApiError } from '../api/index.js';
import type { App, Authorized } from './app.js';
import { type AuthorizedOptions, callAuthorized } from './authorized.js';
import { type Framing, readFraming } from './framing.js';
import { valuesOf } from './headers.js';
import { chooseRoute, readTarget, type Target } from './match.js';
import { endsByRequest, endsWithError, tooLongToDiscard, unreadReason } from './persistence.js';
import { errorReply, malformedReply, okReply } from './reply.js';
import { checkMethodKnown, isOriginForm } from './request-line.js';
import { OPEN, type RouteReply } from './routes/index.js';
import { ClientGone, type Handler, type HeaderList, type Incoming, type Reply } from './transport/index.js';

/**
 * What the log keeps of a request (contract 8 `data handling`), and its id. What a transport answers without
 * calling the handler, such as bytes that are no request, makes no entry.
 */
export interface AccessEntry {
  /** `-` where it is none of the usual ones: a caller's own text is not logged. */
  readonly method: string;
  /** The path of the route, without a model, never the target sent; `-` where no route has it. */
  readonly path: string;
  /** 499 where the client went away before the answer. */
  readonly status: number;
  /** From the end of the request's head to the answer, or to the client's leaving. */
  readonly durationMs: number;
  readonly requestId: string;
}

export interface PipelineOptions extends AuthorizedOptions {
  readonly app: App;
  /** The model that answers whatever a request names; null where requests name it. */
  readonly model: string | null;
  readonly newRequestId: () => string;
  readonly onAccess: (entry: AccessEntry) => void;
  /** An error that is no `ApiError`; its caller sees only `internal_error`. */
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

/** Answers every request there can be, and tells the log of it. The handler for a transport. */
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
      reply = await callAuthorized(options, { route, caller, framing, incoming, model, id, requestId });
    } else {
      reply = await OPEN[route.name]({ app, model, requestId, signal: incoming.signal });
    }
    const headers = [...own, ...(reply.headers ?? [])];
    return { ...okReply(requestId, reply.body, headers), close: tooLongToDiscard(framing) };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : unexpected(options, thrown, requestId);
    const headers = own ?? callerHeaders(app, incoming);
    const refusal = errorReply(requestId, error, endsWithError(error, framing), headers);
    const unread = unreadReason(error, framing);
    return unread === undefined ? refusal : { ...refusal, unread };
  }
}

/** On every response to a caller whose token was accepted, errors included (contract 4.1). */
function keyHeaders({ keyId, keyExpires }: Authorized): HeaderList {
  return [
    ['Service-Key-Id', keyId],
    ['Service-Key-Expires', keyExpires],
  ];
}

/** What is refused before the token is looked at, such as a path, is still a response to the caller that it names. */
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
  if (found === undefined) throw new ApiError('not_found', 'There is nothing at this path.');
  if (found.model !== null && !app.serves(found.model, model)) {
    throw new ApiError('model_not_found', 'The model in the path is not served here.');
  }
  return found;
}

function unexpected(options: PipelineOptions, error: unknown, requestId: string): ApiError {
  if (!isLeaving(error)) options.onUnexpected(error, requestId);
  return new ApiError('internal_error', 'The server failed to answer this request.');
}

/** Work given up because the client left is no failure, and nobody reads the answer. */
function isLeaving(error: unknown): boolean {
  return error instanceof ClientGone || (error instanceof Error && error.name === 'AbortError');
}
