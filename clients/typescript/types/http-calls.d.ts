import { AttemptDeadline } from './attempt-deadline.js';
import { type ClientRuntime } from './client-runtime.js';
import { type Repeatable } from './repeat-rules.js';
export interface CallSettings {
    /** The address of the server: `https://decider.example`. */
    readonly url: string;
    /** The token of a key. */
    readonly token: string | null;
    /** How often a call is sent again at most; a whole number. */
    readonly retries?: number | undefined;
    /**
     * The time limit of an attempt, and of each pause of a response that streams, in milliseconds, 1 to 2,147,483,647. If absent,
     * 150 seconds, and 60 more for every further 16 questions, once for each order of their options.
     */
    readonly timeoutMs?: number | undefined;
}
/** What a request can carry: all of it has a known length, which the server requires. */
export type RequestContent = string | Blob | FormData;
export interface HttpCall {
    /** Relative to the address, without a slash in front. */
    readonly path: string;
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly body?: RequestContent | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly repeatable: Repeatable;
    /** A field that every response has; absent: the caller looks itself. */
    readonly has?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Prompts that the server computes for it, at most; 1 if absent. */
    readonly prompts?: number | undefined;
}
/** About the HTTP exchange of a call. */
export interface ResponseInfo {
    /** The id of the call in the log of the server. */
    readonly requestId: string | null;
    readonly headers: Headers;
    /** How often the call was sent. */
    readonly attempts: number;
}
/** A response whose body has not been read, and the deadline that ends when it has. */
export interface OpenResponse {
    readonly response: Response;
    readonly deadline: AttemptDeadline;
    /** What a failure of the body means: the reason of the caller's signal, or a DeciderError. */
    failure(error: unknown): unknown;
}
/** Calls of one server. Rejects with DeciderError, or with the reason of the caller's signal. */
export declare class HttpCalls {
    #private;
    readonly runtime: ClientRuntime;
    private readonly base;
    readonly retries: number;
    private readonly timeoutMs;
    /** Throws TypeError for settings that cannot be used. The address and the token are not quoted: both may be secret. */
    constructor({ url, token, retries, timeoutMs }: CallSettings, runtime: ClientRuntime);
    /** Sends a call until it is answered or must not be sent again, and reads the response as JSON. */
    json<Body>(call: HttpCall): Promise<{
        readonly body: Body;
        readonly info: ResponseInfo;
    }>;
    /** Sends a call once. The deadline stays until the caller has read the body and ended it. */
    open(call: HttpCall): Promise<OpenResponse>;
    /** Runs `attempt`, again after a failure if the call may be sent again. */
    repeat<Result>({ repeatable, signal }: Pick<HttpCall, 'repeatable' | 'signal'>, attempt: (attempts: number) => Promise<Result>): Promise<Result>;
    private initOf;
}
