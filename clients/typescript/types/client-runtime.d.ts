/** What the client needs of its surroundings. Tests pass their own. */
export interface ClientRuntime {
    readonly fetch: typeof fetch;
    /** Milliseconds since 1970. */
    now(): number;
    /** Milliseconds of a clock that does not jump. */
    monotonic(): number;
    /** Calls back once after `ms`; the returned function cancels it. */
    after(ms: number, callback: () => void): () => void;
    /** From 0 to less than 1. */
    random(): number;
    /** A new `Idempotency-Key`. */
    newKey(): string;
}
export declare const systemRuntime: ClientRuntime;
/** Resolves after `ms`; rejects with the reason of the signal if it aborts before. */
export declare function pause(runtime: Pick<ClientRuntime, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void>;
