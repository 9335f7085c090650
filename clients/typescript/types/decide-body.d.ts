import type { DecideRequest, TaskState } from './client-types.js';
import type { RequestContent } from './http-calls.js';
/** A request body and its headers. */
interface SentBody {
    readonly body: RequestContent;
    readonly headers: Readonly<Record<string, string>>;
}
/** The body of a decide request: JSON, or a form if its images are large. Rejects with DeciderError for other files. */
export declare function bodyOfDecide({ images, ...request }: DecideRequest | TaskState): Promise<SentBody>;
export {};
