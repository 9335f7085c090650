import { createTypeSafeAi } from '@ai-sdk/typesafe-ai';
import {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  noul,
  PermissionDeniedError,
  RateLimitError,
  TypeSafeClient,
  UnprocessableEntityError,
} from '@typesafe-ai/sdk';
import { APICallError, type Experimental_DecisionModel, experimental_evaluate, RetryError } from 'ai';
import { ApiError, ERRORS, type ErrorType } from '../../src/api/index.js';
import { fakeClock } from '../support/fake-clock.js';
import { onBoth, serve } from '../support/http/serving.js';
import { passWaits } from '../support/waits.js';

/** All but 409, which only the batch interface answers: these clients do not call it. */
const TYPES = (Object.keys(ERRORS) as ErrorType[]).filter((type) => ERRORS[type].status !== 409);

/** What a client that asks three times is answered, and how often it asked. */
function refusing(type: ErrorType) {
  const asked = { times: 0 };
  const retryAfter = [429, 503].includes(ERRORS[type].status) ? { retryAfterSeconds: 7 } : {};
  const decide = async (): Promise<string> => {
    asked.times += 1;
    throw new ApiError(type, 'Why not.', retryAfter);
  };
  return { asked, decide };
}

const isRetried = (status: number) => status === 408 || status === 429 || status >= 500;

/** What `@typesafe-ai/sdk` throws; for a status without a class of its own, exactly `APIError`. */
function classOf(status: number) {
  if (status >= 500) return InternalServerError;
  const classes = new Map<number, typeof APIError>([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
  ]);
  return classes.get(status) ?? APIError;
}

onBoth('@typesafe-ai/sdk: what it throws for each type, and how often it asks', async (t, transport) => {
  const waited = passWaits(t, [7_000]);
  for (const type of TYPES) {
    const { status } = ERRORS[type];
    const { asked, decide } = refusing(type);
    const { port } = await serve(t, transport, decide, { clock: fakeClock() });
    const client = new TypeSafeClient({
      apiKey: 'any',
      baseURL: `http://127.0.0.1:${port}`,
      logLevel: 'off',
      retry: { backoffInitialMs: 0 },
    });
    const asking = client.systemOne({ state: 'x', questions: { q: noul() } });
    const error = await asking.catch((thrown: unknown) => thrown);
    t.ok(error instanceof APIError && error.constructor === classOf(status), type);
    t.match(error, { status, body: { error: 'Why not.', type }, message: `${status} Why not.` });
    t.match((error as APIError).requestId, /^req_/, type);
    t.equal(asked.times, isRetried(status) ? 3 : 1, type);
    if (error instanceof RateLimitError) t.equal(error.retryAfterMs, 7_000);
    const honoured = [429, 503].includes(status) ? [7_000, 7_000] : [];
    t.strictSame(waited.splice(0), honoured, `${type}: the waits that \`Retry-After\` asks for`);
  }
});

onBoth('ai: what it throws for each type, and how often it asks', async (t, transport) => {
  // Its own waits, where there is no `Retry-After`: two seconds, then four.
  const waited = passWaits(t, [7_000, 2_000, 4_000]);
  for (const type of TYPES) {
    const { status } = ERRORS[type];
    const { asked, decide } = refusing(type);
    const { port } = await serve(t, transport, decide, { clock: fakeClock() });
    const provider = createTypeSafeAi({ apiKey: 'any', baseURL: `http://127.0.0.1:${port}/v1` });
    const model = provider.evaluationModel('jev-latest') as Experimental_DecisionModel;
    const questions = { q: { type: 'boolean', instructions: 'Is it?' } } as const;
    const error = await experimental_evaluate({ model, state: 'x', questions }).catch((thrown) => thrown);
    // It does not look at `x-should-retry`. No decision is answered 409.
    const retried = isRetried(status) || status === 409;
    t.equal(RetryError.isInstance(error), retried, type);
    if (retried) t.match(error, { reason: 'maxRetriesExceeded', errors: { length: 3 } }, type);
    const last = retried ? error.lastError : error;
    t.ok(APICallError.isInstance(last), type);
    t.match(last, { statusCode: status, message: 'Why not.', isRetryable: retried }, type);
    t.match(last.responseHeaders, { 'x-request-id': /^req_/ }, type);
    t.equal(asked.times, retried ? 3 : 1, type);
    const honoured = [429, 503].includes(status) ? [7_000, 7_000] : [];
    // 4,000 is also how long fetch keeps an idle connection.
    const waits = waited.splice(0).filter((ms) => ms === 7_000);
    t.strictSame(waits, honoured, `${type}: the waits that \`Retry-After\` asks for`);
  }
});
