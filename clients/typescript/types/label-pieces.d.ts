import type { TaskLabel } from './client-types.js';
export declare const LABEL_BYTES_MAX: number;
export declare const LABEL_LINES_MAX = 1000;
/** Lines with a state of a call. The server takes 100; fewer are decided again, and charged again, if the call fails. */
export declare const LABEL_STATES_MAX = 25;
/** Questions of a task at most: the prompts of a line with a state. */
export declare const TASK_QUESTIONS_MAX = 16;
/** What the lines of a call have together. */
export declare class LabelRoom {
    lines: number;
    states: number;
    private bytes;
    /** Adds a line, if the call has room for it. `bytes`: of the line with its end. */
    add(bytes: number, hasState: boolean): boolean;
}
/** The body of a call, and what it has. */
export interface LabelPiece {
    readonly body: string;
    readonly lines: number;
    /** Lines with a state, which is decided and charged. */
    readonly states: number;
}
/** Labels as lines of JSON. Rejects with DeciderError for files that are no images, or with TypeError for what cannot be sent. */
export declare function linesOfLabels(labels: Iterable<TaskLabel> | AsyncIterable<TaskLabel>, signal: AbortSignal | undefined): AsyncGenerator<string, void>;
/**
 * Divides lines into the bodies of calls, and takes a line only when it is needed. Rejects with DeciderError
 * `body_too_large` for a line that no call can have, with TypeError for what is no line, with what the lines reject with, or
 * with the reason of the signal.
 */
export declare function labelPieces(lines: Iterable<string> | AsyncIterable<string>, signal: AbortSignal | undefined): AsyncGenerator<LabelPiece, void>;
/** Whether a label has a state, which is decided and charged; `null` is none, as for the server. */
export declare const hasState: (label: unknown) => boolean;
