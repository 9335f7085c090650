import type { ApiSchemas } from './api-schema.js';
/** A type that the server sends; `docs/errors.md` lists them. */
export type ServerErrorType = ApiSchemas['Error']['type'];
/**
 * A type of the client's own.
 *
 * - `unreachable`: no connection was made, so nothing was sent.
 * - `connection_lost`: the connection failed before the response was complete.
 * - `timeout`: the response did not come within the time limit.
 * - `invalid_response`: the response is not what this interface sends.
 * - `unknown`: an error response that is not from the server, but from a proxy, for example.
 */
export type ClientErrorType = 'unreachable' | 'connection_lost' | 'timeout' | 'invalid_response' | 'unknown';
export type DeciderErrorType = ServerErrorType | ClientErrorType;
/** An invalid line of a batch file, or an invalid label. */
export interface LineError {
    /** From 1; blank lines count. */
    readonly line: number;
    readonly type: string;
    readonly error: string;
}
/** How many labels a question has, and how many a fit needs. */
export interface LabelCount {
    readonly labels: number;
    readonly needed: number;
}
interface ErrorFacts {
    readonly status?: number | null;
    readonly requestId?: string | null;
    readonly retryAfterSeconds?: number | null;
    readonly lines?: readonly LineError[];
    readonly invalidLines?: number;
    readonly questions?: Readonly<Record<string, LabelCount>>;
    readonly field?: string | null;
    readonly outcomeUnknown?: boolean;
    readonly isTemporary?: boolean;
    readonly cause?: unknown;
}
/** A call that was not answered with success. Programs branch on `type`. */
export declare class DeciderError extends Error {
    readonly type: DeciderErrorType;
    readonly name = "DeciderError";
    /** The status of the response; null if there was none. */
    readonly status: number | null;
    /** The id of the call in the log of the server. */
    readonly requestId: string | null;
    /** What the server asks to wait. */
    readonly retryAfterSeconds: number | null;
    /** The invalid lines of a batch file, or the invalid labels, as far as the response lists them. */
    readonly lines: readonly LineError[];
    /** The number of all invalid lines. */
    readonly invalidLines: number;
    /** Of `too_few_labels`: what each question has and needs. */
    readonly questions: Readonly<Record<string, LabelCount>>;
    /** The field of the request that is wrong; null if the response names none. */
    readonly field: string | null;
    /** Whether the server may have done, and charged, what was asked. */
    readonly outcomeUnknown: boolean;
    /** Whether the same call may succeed later. */
    readonly isTemporary: boolean;
    constructor(type: DeciderErrorType, message: string, facts?: ErrorFacts);
    /** The same error, if the lines that were sent follow as many others. */
    after(lines: number): DeciderError;
}
export {};
