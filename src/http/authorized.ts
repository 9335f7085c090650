import { ApiError, type Route } from '../api/index.js';
import type { Clock, Owner } from '../base/index.js';
import type { FormatName } from '../decide/index.js';
import type { Authorized, BatchApp } from './app.js';
import { type BodyDeadlines, collectBody } from './body.js';
import type { BodyMemory } from './body-memory.js';
import { checkContent, checkFile } from './check-content.js';
import { readDiagnostics } from './diagnostic-headers.js';
import type { Downloads } from './downloads.js';
import { type Framing, valuesOf } from './head.js';
import type { RouteReply } from './reply.js';
import { BATCHES, decisionReply, OWN, SUBMISSIONS, TASK_FILES, TASKS } from './route-handlers.js';
import type { Incoming } from './transport/transport-types.js';

/** A matched route that requires a token. */
export interface Match {
  readonly route: Extract<Route, { readonly token: true }>;
  /** The model that the path or the endpoint pins now; null: the body names it. */
  readonly model: () => string | null;
  /** The value of `{id}` or `{name}` in the path; null if it has none. */
  readonly id: string | null;
  /** The `X-Request-Id` of the response. */
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

/** Answers an authenticated request: checks its head, receives its body, calls the route. Synchronous up to the body. */
export function answerAuthorized(
  options: AuthorizedOptions,
  { route, model, id, requestId }: Match,
  caller: Authorized,
  incoming: Incoming,
  framing: Framing,
): Promise<RouteReply> | RouteReply {
  const { headers, target, signal } = incoming;
  if (route.body === 'decision') {
    const format: FormatName = route.name === 'decideTask' ? 'task' : route.name;
    const { length, ...content } = checkContent(framing, headers, format);
    const { allowedModels } = caller;
    const diagnostics = readDiagnostics(headers);
    caller.admit(length);
    return withBody(options, caller, incoming, length, async (body) => {
      const request = { body, content, format, allowedModels, diagnostics };
      const decided =
        format === 'task'
          ? caller.tasks.decide(id ?? '', request, model, requestId, signal)
          : // Not earlier: while the body arrives, the models may change.
            caller.decide({ ...request, model: model() }, signal);
      return decisionReply(await decided);
    });
  }
  if (route.name === 'limits' || route.name === 'usage') {
    caller.admitFree(0);
    return OWN[route.name](caller, model(), target);
  }
  if (route.body === 'task' || route.body === 'labels' || route.body === 'promotion') {
    const { bytesMax, answer } = TASK_FILES[route.name];
    const { length, encoding } = checkFile(framing, headers, bytesMax);
    caller.admitFree(length);
    return withBody(options, caller, incoming, length, async (body) => ({
      body: await answer(caller.tasks, id ?? '', { body, encoding }, signal),
    }));
  }
  if (
    route.name === 'listTasks' ||
    route.name === 'showTask' ||
    route.name === 'deleteTask' ||
    route.name === 'fitTask'
  ) {
    caller.admitFree(0);
    return TASKS[route.name](caller.tasks, id ?? '', signal);
  }
  const batches = batchApp(options, caller);
  if (route.body === 'none') {
    caller.admitFree(0);
    return withDownload(options, caller, incoming, () => BATCHES[route.name](batches, id ?? '', target));
  }
  const { length, encoding } = checkFile(framing, headers);
  // A submission that was made before finds its batch although the key is paused. `Submitter` refuses others.
  if (valuesOf(headers, 'idempotency-key').length > 0) caller.admitFree(length);
  else caller.admit(length);
  return withBody(options, caller, incoming, length, (body) =>
    SUBMISSIONS[route.name](batches, body, encoding, headers, signal),
  );
}

function batchApp({ batches: here }: AuthorizedOptions, caller: Authorized): BatchApp {
  const batches = here ? caller.batches : null;
  if (batches !== null) return batches;
  throw new ApiError('batch_unavailable', 'This endpoint has no batch interface.');
}

async function withDownload(
  { downloads }: AuthorizedOptions,
  caller: Authorized,
  incoming: Incoming,
  handle: () => RouteReply | Promise<RouteReply>,
): Promise<RouteReply> {
  const reply = await handle();
  const { body } = reply;
  if (typeof body === 'string' || body instanceof Uint8Array) return reply;
  return { ...reply, body: downloads.begin(ownerOf(caller), incoming, body) };
}

const ownerOf = ({ workspaceId, keyId }: Authorized): Owner => ({ workspace: workspaceId, key: keyId });

async function withBody(
  { clock, deadlines, memory }: AuthorizedOptions,
  caller: Authorized,
  incoming: Incoming,
  length: number,
  handle: (body: Buffer) => Promise<RouteReply>,
): Promise<RouteReply> {
  const place = memory.take(ownerOf(caller), length);
  try {
    return await handle(await collectBody(incoming, place, deadlines, clock));
  } finally {
    place.release();
  }
}
