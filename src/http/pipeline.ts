import { ApiError, LIMITS } from '../api/index.js';
import type { Clock } from '../base/index.js';
import { type BodyDeadlines, collectBody } from './body.js';
import type { BodyMemory } from './body-memory.js';
import { checkContent } from './content.js';
import type { Authorized, Door } from './door.js';
import { type Framing, readFraming } from './framing.js';
import { valuesOf } from './headers.js';
import { checkMethod, readTarget, type Target } from './match.js';
import { errorReply, jsonReply } from './reply.js';
import { AUTHORIZED, OPEN, type RouteReply } from './routes/index.js';
import { ClientGone, type Handler, type HeaderList, type Incoming, type Reply } from './transport/index.js';

/**
 * What the log keeps of a request (contract 8, data handling), and its id. What a transport answers without
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

export interface PipelineOptions {
  readonly door: Door;
  /** The model that answers whatever a request names; null where requests name it. */
  readonly model: string | null;
  readonly clock: Clock;
  readonly newRequestId: () => string;
  readonly onAccess: (entry: AccessEntry) => void;
  /** An error that is no `ApiError`; its caller sees only `internal_error`. */
  readonly onUnexpected: (error: unknown, requestId: string) => void;
  readonly deadlines: BodyDeadlines;
  readonly memory: BodyMemory;
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
    const reply = await answer(options, incoming, requestId);
    options.onAccess({
      method: USUAL_METHODS.has(incoming.method) ? incoming.method : '-',
      path: readTarget(incoming.target)?.route.path ?? '-',
      status: incoming.signal.aborted ? CLIENT_GONE_STATUS : reply.status,
      durationMs: options.clock.monotonic() - started,
      requestId,
    });
    return reply;
  };
}

async function answer(options: PipelineOptions, incoming: Incoming, requestId: string): Promise<Reply> {
  const { door } = options;
  let framing: Framing | undefined;
  let own: HeaderList = [];
  try {
    framing = readFraming(incoming.headers);
    const target = findTarget(options, incoming);
    const { route } = target;
    const model = target.model ?? options.model;
    let reply: RouteReply;
    if (route.token) {
      const caller = door.authorize(valuesOf(incoming.headers, 'authorization'));
      own = keyHeaders(caller);
      reply = await callAuthorized(
        options,
        AUTHORIZED[route.name],
        caller,
        framing,
        incoming,
        model,
        requestId,
      );
    } else {
      reply = await OPEN[route.name]({ door, model, requestId, signal: incoming.signal });
    }
    const headers = [...own, ...(reply.headers ?? [])];
    return { ...jsonReply(requestId, reply.json, headers), close: tooLongToDiscard(framing) };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : unexpected(options, thrown, requestId);
    return errorReply(requestId, error, endsConnection(error, framing), own);
  }
}

/** On every response to a caller whose token was accepted, errors included (contract 4.1). */
function keyHeaders({ keyId, keyExpires }: Authorized): HeaderList {
  return [
    ['Service-Key-Id', keyId],
    ['Service-Key-Expires', keyExpires],
  ];
}

function findTarget({ door }: PipelineOptions, { target, method }: Incoming): Target {
  const found = readTarget(target);
  if (found === undefined) throw new ApiError('not_found', 'There is nothing at this path.');
  if (found.model !== null && !door.serves(found.model)) {
    throw new ApiError('model_not_found', 'The model in the path is not served here.');
  }
  checkMethod(found.route, method);
  return found;
}

/** The checks of the head, the body, then the route's own work. Up to the body all of it is synchronous. */
async function callAuthorized(
  { clock, deadlines, memory }: PipelineOptions,
  handle: (typeof AUTHORIZED)[keyof typeof AUTHORIZED],
  caller: Authorized,
  framing: Framing,
  incoming: Incoming,
  model: string | null,
  requestId: string,
): Promise<RouteReply> {
  const { signal } = incoming;
  const { length, ...content } = checkContent(framing, incoming.headers);
  caller.admit(length);
  const place = memory.take(length);
  try {
    const body = await collectBody(incoming, length, deadlines, clock, place.allocate);
    return await handle({ caller, body, content, model, requestId, signal });
  } finally {
    place.release();
  }
}

function unexpected(options: PipelineOptions, error: unknown, requestId: string): ApiError {
  if (!isLeaving(error)) options.onUnexpected(error, requestId);
  return new ApiError('internal_error', 'The server failed to answer this request.');
}

/** Work given up because the client left is no failure, and nobody reads the answer. */
function isLeaving(error: unknown): boolean {
  return error instanceof ClientGone || (error instanceof Error && error.name === 'AbortError');
}

/**
 * A body that was not read is discarded by the transport and the connection stays, as long as its end is known and
 * near. Otherwise the connection closes behind the answer.
 */
function endsConnection(error: ApiError, framing: Framing | undefined): boolean {
  if (framing === undefined || tooLongToDiscard(framing)) return true;
  return error.type === 'length_required' || error.type === 'request_timeout';
}

function tooLongToDiscard({ length, chunked }: Framing): boolean {
  return chunked || (length ?? 0) > LIMITS.bodyBytes;
}
