import { type BatchInput } from './batch-lines.js';
import type { Batch, BatchLine, BatchResult, Questions, SubmittedBatch } from './client-types.js';
import type { HttpCalls } from './http-calls.js';
/** Batches of a page of the list, the most that the server sends. */
export declare const PAGE_BATCHES = 100;
export interface SignalOptions {
    readonly signal?: AbortSignal | undefined;
}
export interface SubmitOptions extends SignalOptions {
    /**
     * Within 24 hours, the same file under the same key is the same batch: a program that was interrupted submits again
     * with its key and goes on. If absent, a new key is made, so that the submission can be sent again after a lost
     * connection.
     */
    readonly idempotencyKey?: string | undefined;
    /** An https address that is called when the batch has finished; see `verifyWebhook`. */
    readonly webhook?: string | undefined;
}
export interface WaitOptions extends SignalOptions {
    /** Called with the batch each time it was looked at. */
    readonly onProgress?: ((batch: Batch) => void) | undefined;
    /** Milliseconds between two looks, 0 to 2,147,483,647. */
    readonly pollMs?: number | undefined;
}
/** A batch, or its id: then the number of its lines is asked for, so that no result is missed. */
type BatchReference = string | Pick<Batch, 'id' | 'lines'>;
/** The batches of a key. Every call rejects with DeciderError, or with the reason of its signal. */
export declare class BatchCalls {
    private readonly calls;
    constructor(calls: HttpCalls);
    /** Submits a batch. It is stored when this resolves. */
    submit(lines: BatchInput, options?: SubmitOptions): Promise<SubmittedBatch>;
    show(id: string, { signal }?: SignalOptions): Promise<Batch>;
    /** Cancels a batch. Lines in progress are still answered. */
    cancel(id: string, { signal }?: SignalOptions): Promise<Batch>;
    /** All batches of the key, oldest first. */
    list({ signal }?: SignalOptions): AsyncGenerator<Batch, void>;
    /**
     * Resolves when the results of a batch can be collected. Goes on while the server is away, for ten minutes from the first
     * failed look on; waits of more than 30 s that the server asks for do not count. Rejects with TypeError for an interval
     * that cannot be used.
     */
    wait(id: string, options?: WaitOptions): Promise<Batch>;
    /** The results of a finished batch in the order of its lines, as they arrive. */
    results<Asked extends Questions = Questions>(batch: BatchReference, options?: SignalOptions): AsyncGenerator<BatchResult<Asked>, void>;
    /** As `results`: each as the text that the server sends, without its line feed. */
    resultLines(batch: BatchReference, { signal }?: SignalOptions): AsyncGenerator<string, void>;
    /**
     * Submits a batch, waits for it, and returns its results as they arrive. Leaving the loop, or aborting the signal, does
     * not cancel the batch.
     */
    run<const Asked extends Questions>(lines: BatchInput<BatchLine<Asked>>, options?: SubmitOptions & WaitOptions): AsyncGenerator<BatchResult<Asked>, void>;
    /** The lines of a batch; null if the server does not say, because the batch was deleted meanwhile, for example. */
    private lineCount;
    private json;
}
export {};
