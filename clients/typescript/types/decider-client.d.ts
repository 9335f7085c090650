import { BatchCalls, type SignalOptions } from './batch-calls.js';
import { type ClientRuntime } from './client-runtime.js';
import type { Batch, DecideRequest, DecideResponse, DecisionsRequest, DecisionsResponse, Diagnostics, KeyLimits, KeyUsage, ModelList, Questions } from './client-types.js';
import { type CallSettings, type ResponseInfo } from './http-calls.js';
import { TaskCalls } from './task-calls.js';
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
type WithInfo<Body> = Body & {
    readonly info: ResponseInfo;
};
/**
 * A client of a decider server, for Node and browsers. Every call rejects with DeciderError, or with the reason of its
 * signal. A call is sent again only where that cannot charge twice (docs/errors.md).
 */
export declare class Decider {
    readonly batches: BatchCalls;
    readonly tasks: TaskCalls;
    private readonly calls;
    /** Throws TypeError for options that cannot be used. */
    constructor({ url, token, fetch, retries, timeoutMs }?: DeciderOptions, runtime?: ClientRuntime);
    /** Answers questions about a state. `info` of the response is about the HTTP exchange. */
    decide<const Asked extends Questions, const Options extends DecideOptions = SignalOptions>(request: DecideRequest<Asked>, options?: Options): Promise<WithInfo<DecideResponse<Asked, Options>>>;
    /** Answers up to 400 questions in the form of OpenAI's Decisions API (docs/decisions-api.md). */
    decisions(request: DecisionsRequest, { signal }?: SignalOptions): Promise<WithInfo<DecisionsResponse>>;
    /** The credit, the limits and the prices of the key. */
    limits(options?: SignalOptions): Promise<KeyLimits>;
    /** What the key was charged. `days`: 1 to 92, today included; 30 if absent. */
    usage({ days, ...options }?: SignalOptions & {
        readonly days?: number | undefined;
    }): Promise<KeyUsage>;
    models(options?: SignalOptions): Promise<ModelList>;
    /** Resolves if the server is ready to answer. */
    health(options?: SignalOptions): Promise<{
        readonly status: 'ok';
    }>;
    /**
     * The finished batch that a webhook call is about. The call itself proves nothing, so the batch is fetched with the key.
     * Rejects with DeciderError: `invalid_request` if the body is not that of a webhook, `batch_not_found` if the key has
     * no such batch, `batch_not_finished` if it has not finished.
     *
     * @param body as received, or parsed
     */
    verifyWebhook(body: string | Uint8Array | object, options?: SignalOptions): Promise<Batch>;
    private get;
}
export {};
