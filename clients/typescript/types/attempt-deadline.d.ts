import type { ClientRuntime } from './client-runtime.js';
/** Ends one attempt of a call: after a time limit, or when the caller's signal aborts. */
export declare class AttemptDeadline {
    private readonly runtime;
    readonly timeoutMs: number;
    private readonly outer;
    private readonly control;
    private readonly onAbort;
    private cancel;
    /** Whether the time limit has passed. */
    timedOut: boolean;
    constructor(runtime: Pick<ClientRuntime, 'after'>, timeoutMs: number, outer: AbortSignal | undefined);
    get signal(): AbortSignal;
    /** Begins the time limit again. */
    extend(): void;
    /** Stops the time limit until `extend`: the client waits for its own caller, not for the server. */
    hold(): void;
    /** The attempt is over. */
    end(): void;
}
