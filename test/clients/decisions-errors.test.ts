import { APICallError, experimental_decide, RetryError } from 'ai';
import { ApiError, ERRORS, type ErrorType } from '../../src/api/index.js';
import { clientPackage } from '../support/client-package.js';
import { fakeClock } from '../support/fake-clock.js';
import { onBoth, serve } from '../support/http/serving.js';
import { passWaits } from '../support/waits.js';

const openai = await clientPackage('openai');
const { createOpenAI } = await clientPackage('@ai-sdk/openai');

/** All but 409, which only the batch interface answers. */
const TYPES = (Object.keys(ERRORS) as ErrorType[]).filter((type) => ERRORS[type].status !== 409);
const QUESTIONS = [{ type: 'predicate', instructions: 'Is it?' }];

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

/** A fault that is a 422 elsewhere is a 400 here. */
const statusOf = (type: ErrorType) => (ERRORS[type].status === 422 ? 400 : ERRORS[type].status);
const isRetried = (status: number) => status === 408 || status === 429 || status >= 500;
const honoured = (status: number) => ([429, 503].includes(status) ? [7_000, 7_000] : []);

/** The name of the class that `openai` throws; for a status without a class of its own `APIError`. */
function classOf(status: number): string {
  const classes: Record<number, string> = {
    400: 'BadRequestError',
    401: 'AuthenticationError',
    403: 'PermissionDeniedError',
    404: 'NotFoundError',
    429: 'RateLimitError',
  };
  return status >= 500 ? 'InternalServerError' : (classes[status] ?? 'APIError');
}

onBoth('openai: what it throws for each type, and how often it asks', async (t, transport) => {
  const waited = passWaits(t, [7_000]);
  for (const type of TYPES) {
    const status = statusOf(type);
    const { asked, decide } = refusing(type);
    const { port } = await serve(t, transport, decide, { clock: fakeClock() });
    const client = new openai.OpenAI({
      apiKey: 'any',
      baseURL: `http://127.0.0.1:${port}/v1`,
      logLevel: 'off',
    });
    const asking = client.decisions.create({ model: 'm', input: 'x', questions: QUESTIONS });
    const error = await asking.catch((thrown: unknown) => thrown);
    t.equal(error.constructor, openai[classOf(status)], type);
    t.match(error, { status, code: type, param: null, type: String, message: `${status} Why not.` }, type);
    t.match(error.requestID, /^req_/, type);
    t.equal(asked.times, isRetried(status) ? 3 : 1, type);
    t.strictSame(waited.splice(0), honoured(status), `${type}: the waits that \`Retry-After\` asks for`);
  }
});

onBoth('ai: what it throws for each type, and how often it asks', async (t, transport) => {
  // Its own waits, where there is no `Retry-After`: two seconds, then four.
  const waited = passWaits(t, [7_000, 2_000, 4_000]);
  for (const type of TYPES) {
    const status = statusOf(type);
    const { asked, decide } = refusing(type);
    const { port } = await serve(t, transport, decide, { clock: fakeClock() });
    const model = createOpenAI({ apiKey: 'any', baseURL: `http://127.0.0.1:${port}/v1` }).decisionModel('m');
    const questions = { q: { type: 'boolean', instructions: 'Is it?' } } as const;
    const error = await experimental_decide({ model, state: 'x', questions }).catch((thrown) => thrown);
    t.equal(RetryError.isInstance(error), isRetried(status), type);
    const last = isRetried(status) ? error.lastError : error;
    t.ok(APICallError.isInstance(last), type);
    t.match(last, { statusCode: status, message: 'Why not.', isRetryable: isRetried(status) }, type);
    t.match(last.data, { error: { code: type, param: null } }, type);
    t.equal(asked.times, isRetried(status) ? 3 : 1, type);
    const waits = waited.splice(0).filter((ms) => ms === 7_000);
    t.strictSame(waits, honoured(status), `${type}: the waits that \`Retry-After\` asks for`);
  }
});

onBoth('`x-should-retry: false` keeps openai from asking again', async (t, transport) => {
  let times = 0;
  const { port } = await serve(t, transport, async () => {
    times += 1;
    throw new ApiError('overloaded', 'Why not.', { final: true });
  });
  const client = new openai.OpenAI({
    apiKey: 'any',
    baseURL: `http://127.0.0.1:${port}/v1`,
    logLevel: 'off',
  });
  const asking = client.decisions.create({ model: 'm', input: 'x', questions: QUESTIONS });
  t.match(await asking.catch((thrown: unknown) => thrown), { status: 503 });
  t.equal(times, 1);
});
