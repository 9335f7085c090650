import { BatchCalls, type SignalOptions } from './batch-calls.js';
import { DeciderError } from './client-error.js';
import { type ClientRuntime, systemRuntime } from './client-runtime.js';
import type {
  Batch,
  DecideRequest,
  DecideResponse,
  DecisionsRequest,
  DecisionsResponse,
  Diagnostics,
  KeyLimits,
  KeyUsage,
  ModelList,
  Questions,
} from './client-types.js';
import { bodyOfDecide } from './decide-body.js';
import { encode, isMap } from './encode.js';
import { type CallSettings, HttpCalls, type ResponseInfo } from './http-calls.js';
import { TaskCalls } from './task-calls.js';
import { batchOfWebhook } from './webhook-body.js';

const LOCAL_URL = 'http://127.0.0.1:8080';

export interface DeciderOptions extends Partial<Omit<CallSettings, 'token' | 'url'>> {
  /** The address of the server; `http://127.0.0.1:8080` if absent. */
  readonly url?: string | undefined;
  /** The token of a key. Only `models` and `health` work without one. */
  readonly token?: string | undefined;
  /** Replaces the global `fetch`, for a proxy or certificates of one's own. */
  readonly fetch?: typeof fetch | undefined;
}

export interface DecideOptions extends SignalOptions, Diagnostics {
  /** Asks each choice in so many orders of its options, and averages. Each order is charged. */
  readonly optionRotations?: number | undefined;
}

/** A response and the HTTP exchange that brought it. */
type WithInfo<Body> = Body & { readonly info: ResponseInfo };

/**
 * A client of a decider server, for Node and browsers. Every call rejects with DeciderError, or with the reason of its
 * signal. A call is sent again only where that cannot charge twice (docs/errors.md).
 */
export class Decider {
  readonly batches: BatchCalls;
  readonly tasks: TaskCalls;
  private readonly calls: HttpCalls;

  /** Throws TypeError for options that cannot be used. */
  constructor({ url, token, fetch, retries, timeoutMs }: DeciderOptions = {}, runtime = systemRuntime) {
    const used: ClientRuntime = fetch === undefined ? runtime : { ...runtime, fetch };
    const settings = { url: url ?? LOCAL_URL, token: token ?? null, retries, timeoutMs };
    this.calls = new HttpCalls(settings, used);
    this.batches = new BatchCalls(this.calls);
    this.tasks = new TaskCalls(this.calls);
  }

  /** Answers questions about a state. `info` of the response is about the HTTP exchange. */
  async decide<const Asked extends Questions, const Options extends DecideOptions = SignalOptions>(
    request: DecideRequest<Asked>,
    options?: Options,
  ): Promise<WithInfo<DecideResponse<Asked, Options>>> {
    const { signal, ...asked } = options ?? ({} as DecideOptions);
    const { body, headers } = await bodyOfDecide(request, signal);
    const answer = await this.calls.json<DecideResponse<Asked, Options>>({
      path: 'v1/decide',
      method: 'POST',
      body,
      headers: { ...headers, ...diagnosticHeaders(asked) },
      prompts: countOf(request.questions) * (asked.optionRotations ?? 1),
      repeatable: 'unanswered',
      has: 'answers',
      signal,
    });
    return { ...answer.body, info: answer.info };
  }

  /** Answers up to 400 questions in the form of OpenAI's Decisions API (docs/decisions-api.md). */
  async decisions(
    request: DecisionsRequest,
    { signal }: SignalOptions = {},
  ): Promise<WithInfo<DecisionsResponse>> {
    const answer = await this.calls.json<DecisionsResponse>({
      path: 'v1/decisions',
      method: 'POST',
      body: encode(request, ''),
      prompts: countOf(request.questions),
      headers: { 'content-type': 'application/json' },
      repeatable: 'unanswered',
      has: 'answers',
      signal,
    });
    return { ...answer.body, info: answer.info };
  }

  /** The credit, the limits and the prices of the key. */
  limits(options: SignalOptions = {}): Promise<KeyLimits> {
    return this.get('v1/limits', options);
  }

  /** What the key was charged. `days`: 1 to 92, today included; 30 if absent. */
  usage({
    days,
    ...options
  }: SignalOptions & { readonly days?: number | undefined } = {}): Promise<KeyUsage> {
    return this.get(days === undefined ? 'v1/usage' : `v1/usage?days=${encodeURIComponent(days)}`, options);
  }

  models(options: SignalOptions = {}): Promise<ModelList> {
    return this.get('v1/models', options);
  }

  /** Resolves if the server is ready to answer. */
  health(options: SignalOptions = {}): Promise<{ readonly status: 'ok' }> {
    return this.get('health', options, 'status');
  }

  /**
   * The finished batch that a webhook call is about. The call itself proves nothing, so the batch is fetched with the key.
   * Rejects with DeciderError: `invalid_request` if the body is not that of a webhook, `batch_not_found` if the key has
   * no such batch, `batch_not_finished` if it has not finished.
   *
   * @param body as received, or parsed
   */
  async verifyWebhook(body: string | Uint8Array | object, options: SignalOptions = {}): Promise<Batch> {
    const batch = await this.batches.show(batchOfWebhook(body), options);
    if (batch.finished_at !== null) return batch;
    throw new DeciderError('batch_not_finished', 'The batch of the webhook call has not finished.');
  }

  private async get<Body>(path: string, { signal }: SignalOptions, has = 'object'): Promise<Body> {
    return (await this.calls.json<Body>({ path, repeatable: 'always', has, signal })).body;
  }
}

/** How many questions there are; none if the caller has sent something else, which the server refuses. */
function countOf(questions: object | undefined): number {
  const asked = questions ?? {};
  return isMap(asked) ? asked.size : Object.keys(asked).length;
}

function diagnosticHeaders({ rawProbabilities, labelMass, optionRotations }: DecideOptions) {
  return {
    ...(rawProbabilities === true && { 'service-raw-probabilities': 'true' }),
    ...(labelMass === true && { 'service-label-mass': 'true' }),
    ...(optionRotations !== undefined && { 'service-option-rotations': String(optionRotations) }),
  };
}
