import type { DecideRequest, TaskState } from './client-types.js';
import type { RequestContent } from './http-calls.js';
/** A request body and its headers. */
interface SentBody {
    readonly body: RequestContent;
    readonly headers: Readonly<Record<string, string>>;
}
/**
 * The body of a decide request: JSON, or a form if its images are large. Rejects with DeciderError for other files, with
 * TypeError for what cannot be sent, or with the reason of the signal.
 */
export declare function bodyOfDecide(request: DecideRequest | TaskState, signal: AbortSignal | undefined): Promise<SentBody>;
export {};
