import { ApiError, type ContentEncoding, LIMITS, type Route } from '../api/index.js';
import { VERSION } from '../base/index.js';
import { openApi } from '../openapi/index.js';
import type { App, Authorized, BatchApp, DecideReply, ListPage, SentTask, TaskApp } from './app.js';
import { type ConsoleSite, consoleReply } from './console/serve-console.js';
import { valuesOf } from './head.js';
import { JSON_TYPE, type RouteReply } from './reply.js';
import type { HeaderList } from './transport/transport-types.js';

type Answer = RouteReply | Promise<RouteReply>;
type Named<Token extends boolean, Body> = Extract<
  Route,
  { readonly token: Token; readonly body: Body }
>['name'];

/** A decision with W3C Server-Timing: `name;dur=milliseconds`, in the order given, and whether its answer was shared. */
export function decisionReply(reply: DecideReply): RouteReply {
  const { json, timing, isShared = false } = reply;
  const phases = Object.entries(timing).map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`);
  const parts = isShared ? [...phases, 'cache;desc=hit'] : phases;
  return { body: json, headers: [['Server-Timing', parts.join(', ')]], decision: reply };
}

type Submit = (
  batches: BatchApp,
  body: Buffer,
  encoding: ContentEncoding,
  headers: HeaderList,
  signal: AbortSignal,
) => Promise<RouteReply>;

/** The route that takes a batch file. */
export const SUBMISSIONS: Readonly<Record<Named<true, 'lines'>, Submit>> = {
  submitBatch: async (batches, body, encoding, headers, signal) => {
    const webhook = valuesOf(headers, 'service-webhook-url');
    const idempotencyKey = valuesOf(headers, 'idempotency-key');
    const file = { body, encoding, webhook, idempotencyKey, signal };
    return { body: JSON.stringify(await batches.submit(file)) };
  },
};

type Own = (caller: Authorized, model: string | null, target: string) => Answer;

/** The routes about the key itself. `model`: the one that the endpoint pins, or null. */
export const OWN: Readonly<Record<'limits' | 'usage', Own>> = {
  limits: async (caller, model) => ({ body: JSON.stringify(await caller.limits(model)) }),
  usage: async (caller, _, target) => ({ body: JSON.stringify(await caller.usage(readDays(target))) }),
};

type OfTasks = (tasks: TaskApp, name: string, signal: AbortSignal) => Promise<RouteReply>;

/** The routes about tasks that have no body. `name`: '' if the path has none. */
export const TASKS: Readonly<Record<'listTasks' | 'showTask' | 'deleteTask' | 'fitTask', OfTasks>> = {
  listTasks: async (tasks) => jsonReply(await tasks.list()),
  showTask: async (tasks, name) => ({ body: await tasks.show(name) }),
  deleteTask: async (tasks, name) => jsonReply(await tasks.remove(name)),
  fitTask: async (tasks, name, signal) => ({ body: await tasks.fit(name, signal) }),
};

/** A route about a task that has a body of its own kind. */
interface TaskFile {
  /** Of the body, as sent and decompressed. */
  readonly bytesMax: number;
  answer(tasks: TaskApp, name: string, sent: SentTask, signal: AbortSignal): Promise<string>;
}

/** The routes about tasks that have a body. `decideTask` takes that of a decision. */
export const TASK_FILES: Readonly<Record<Named<true, 'task' | 'labels' | 'promotion'>, TaskFile>> = {
  putTask: {
    bytesMax: LIMITS.taskBytes,
    answer: (tasks, name, sent, signal) => tasks.put(name, sent, signal),
  },
  labelTask: {
    bytesMax: LIMITS.labelBytes,
    answer: async (tasks, name, sent, signal) => JSON.stringify(await tasks.label(name, sent, signal)),
  },
  promoteTask: {
    bytesMax: LIMITS.promotionBytes,
    answer: (tasks, name, sent, signal) => tasks.promote(name, sent, signal),
  },
};

/** The routes about batches that have no body. `id`: '' if the path has none. */
export const BATCHES: Readonly<
  Record<
    Exclude<Named<true, 'none'>, keyof typeof OWN | keyof typeof TASKS>,
    (batches: BatchApp, id: string, target: string) => Answer
  >
> = {
  listBatches: async (batches, _, target) => {
    const list = await batches.list(readPage(target));
    if (typeof list === 'string') return { body: list };
    return { body: { pieces: list, type: JSON_TYPE, sent: () => {} } };
  },
  showBatch: (batches, id) => {
    const shown = batches.show(id);
    return shown instanceof Promise ? shown.then(jsonReply) : jsonReply(shown);
  },
  batchResults: async (batches, id) => {
    const { pieces, collected } = await batches.results(id);
    return { body: { pieces, type: 'application/jsonl', sent: collected } };
  },
  cancelBatch: async (batches, id) => ({ body: JSON.stringify(await batches.cancel(id)) }),
};

const jsonReply = (value: object): RouteReply => ({ body: JSON.stringify(value) });

/** As bytes: of a string, every response that is read slowly would hold its own copy. */
const OPENAPI = Buffer.from(JSON.stringify(openApi(VERSION)));

/** A call of a route without a token. */
interface OpenCall {
  /** The model that the path or the endpoint pins, or null. */
  readonly model: string | null;
  /** The name in the path, or null. */
  readonly id: string | null;
  readonly headers: HeaderList;
  readonly console: ConsoleSite | null;
}

/** The routes without a token. */
export const OPEN: Readonly<Record<Named<false, 'none'>, (app: App, call: OpenCall) => RouteReply>> = {
  /** Every model served, once in each of the two lists of contract 2.8. */
  models: (app, { model }) => {
    const served = app.models(model);
    const json = JSON.stringify({
      object: 'list',
      data: served.map(({ id, ownedBy }) => ({ id, object: 'model', owned_by: ownedBy })),
      models: served.map(({ id, description, releaseDate, maxOptions, ...facts }) => ({
        name: id,
        description,
        release_date: releaseDate,
        max_options: maxOptions,
        reads_images: facts.readsImages,
        context_tokens: facts.contextTokens,
        domain: facts.domain,
      })),
    });
    return { body: json };
  },
  /** Contract 4.5; 503 until the models can answer, so that a load balancer can wait for them. */
  health: (app, { model }) => {
    app.checkReady(model);
    return { body: '{"status":"ok"}' };
  },
  openapi: () => ({ body: OPENAPI }),
  console: (_, call) => consoleReply(call.console, null, call.headers),
  consoleFile: (_, call) => consoleReply(call.console, call.id, call.headers),
};

// Parameters of the query of a request target. Parameters that the path does not define are ignored.

/** `limit` and `after` of a list (contract 4.6 rule 9). Throws `invalid_request`. */
function readPage(target: string): ListPage {
  const query = queryOf(target);
  return { limit: readWhole(query, 'limit', LIMITS.batchesListed), after: readOne(query, 'after') };
}

/** `days` of the usage of a key (contract 4.10 rule 1). Throws `invalid_request`. */
function readDays(target: string): number {
  return readWhole(queryOf(target), 'days', LIMITS.usageDays) ?? LIMITS.usageDaysDefault;
}

function queryOf(target: string): URLSearchParams {
  const at = target.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
}

/** A parameter that is an integer from 1 to `max`; null if it is not given. */
function readWhole(query: URLSearchParams, name: string, max: number): number | null {
  const text = readOne(query, name);
  if (text === null) return null;
  const value = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new ApiError('invalid_request', `\`${name}\` must be an integer from 1 to ${max}.`);
}

function readOne(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name);
  if (values.length > 1) throw new ApiError('invalid_request', `\`${name}\` may be given only once.`);
  return values[0] ?? null;
}
