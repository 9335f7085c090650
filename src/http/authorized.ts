import { ApiError, type Route } from '../api/index.js';
import type { Clock, Owner } from '../base/index.js';
import type { Authorized, BatchApp } from './app.js';
import { type BodyDeadlines, collectBody } from './body.js';
import type { BodyMemory } from './body-memory.js';
import { checkContent, checkFile } from './content.js';
import type { Downloads } from './downloads.js';
import type { Framing } from './framing.js';
import { readQuery } from './query.js';
import { BATCHES, DECISIONS, type RouteReply, SUBMISSIONS } from './routes/index.js';
import type { Incoming } from './transport/index.js';

/** A request whose token was accepted, at a route that wants one. */
export interface AuthorizedRequest {
  readonly route: Extract<Route, { readonly token: true }>;
  readonly caller: Authorized;
  readonly framing: Framing;
  readonly incoming: Incoming;
  readonly model: string | null;
  /** What stands at `{id}` in the path. */
  readonly id: string | null;
  readonly requestId: string;
}

export interface AuthorizedOptions {
  readonly clock: Clock;
  readonly deadlines: BodyDeadlines;
  readonly memory: BodyMemory;
  readonly downloads: Downloads;
  /** Whether this endpoint has the batch interface. */
  readonly batches: boolean;
}

/** The checks of the head, the body, then the route's own work. Up to the body all of it is synchronous. */
export function callAuthorized(
  options: AuthorizedOptions,
  request: AuthorizedRequest,
): Promise<RouteReply> | RouteReply {
  const { route, caller, framing, incoming, model, requestId } = request;
  const { headers, signal } = incoming;
  if (route.body === 'decision') {
    const { length, ...content } = checkContent(framing, headers);
    caller.admit(length);
    return withBody(options, request, length, (body) =>
      DECISIONS[route.name]({ caller, body, content, model, requestId, signal }),
    );
  }
  const batches = batchApp(options, caller);
  const call = { batches, id: request.id ?? '', query: readQuery(incoming.target), model, requestId, signal };
  if (route.body === 'none') {
    caller.admitFree(0);
    return answerBatchCall(options, request, () => BATCHES[route.name](call));
  }
  const { length, encoding } = checkFile(framing, headers);
  caller.admit(length);
  return withBody(options, request, length, (body) =>
    SUBMISSIONS[route.name]({ ...call, body, encoding, headers }),
  );
}

function batchApp({ batches: here }: AuthorizedOptions, caller: Authorized): BatchApp {
  const batches = here ? caller.batches : null;
  if (batches !== null) return batches;
  throw new ApiError('batch_unavailable', 'This endpoint has no batch interface.');
}

async function answerBatchCall(
  { downloads }: AuthorizedOptions,
  { caller, incoming }: AuthorizedRequest,
  handle: () => RouteReply | Promise<RouteReply>,
): Promise<RouteReply> {
  const reply = await handle();
  const { body } = reply;
  if (typeof body === 'string') return reply;
  return { ...reply, body: downloads.begin(ownerOf(caller), incoming, body) };
}

const ownerOf = ({ workspaceId, keyId }: Authorized): Owner => ({ workspace: workspaceId, key: keyId });

async function withBody(
  { clock, deadlines, memory }: AuthorizedOptions,
  { caller, incoming }: AuthorizedRequest,
  length: number,
  handle: (body: Buffer) => RouteReply | Promise<RouteReply>,
): Promise<RouteReply> {
  const place = memory.take(ownerOf(caller), length);
  try {
    return await handle(await collectBody(incoming, place, deadlines, clock));
  } finally {
    place.release();
  }
}
