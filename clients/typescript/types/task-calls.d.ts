import type { SignalOptions } from './batch-calls.js';
import type { DeletedTask, Questions, StoredLabels, Task, TaskAnswers, TaskContent, TaskFit, TaskLabel, TaskPromotion, TaskState, TaskSummary } from './client-types.js';
import type { HttpCalls, ResponseInfo } from './http-calls.js';
export interface LabelOptions extends SignalOptions {
    /** Called after each call: how many of the labels are stored. */
    readonly onProgress?: ((stored: StoredLabels) => void) | undefined;
}
/** The tasks of the key's workspace. Every call rejects with DeciderError, or with the reason of its signal. */
export declare class TaskCalls {
    private readonly calls;
    constructor(calls: HttpCalls);
    /**
     * Makes a task, or changes it: other questions or another model make a new version.
     *
     * @param task what it has, or the same as JSON
     */
    put(name: string, task: TaskContent | string, { signal }?: SignalOptions): Promise<Task>;
    /** All tasks, by name, without their questions. */
    list({ signal }?: SignalOptions): Promise<TaskSummary[]>;
    show(name: string, { signal }?: SignalOptions): Promise<Task>;
    /**
     * Answers the questions of a task about a state. With the type of the questions, `decide<typeof questions>`, the answers
     * are typed. `info` of the response is about the HTTP exchange; its `requestId` names the answer in labels.
     */
    decide<Asked extends Questions = Questions>(name: string, request: TaskState, { signal }?: SignalOptions): Promise<TaskAnswers<Asked> & {
        readonly info: ResponseInfo;
    }>;
    /**
     * Says which answers were correct, in as many calls as the labels need. Labels of one call are all stored, or none. If a
     * call fails, the labels of the calls before it stay stored; `lines` of the error counts from the first label. Labels of
     * answers are sent again after a lost connection, which changes nothing; those with a state are not, because they are
     * charged.
     */
    label<Asked extends Questions = Questions>(name: string, labels: Iterable<TaskLabel<Asked>> | AsyncIterable<TaskLabel<Asked>>, options?: LabelOptions): Promise<StoredLabels>;
    /** As `label`: each as a line of JSON. None may be blank. */
    labelLines(name: string, lines: Iterable<string> | AsyncIterable<string>, { onProgress, signal }?: LabelOptions): Promise<StoredLabels>;
    /** Fits a task to its labels, and puts its thresholds in force. */
    fit(name: string, { signal }?: SignalOptions): Promise<TaskFit>;
    /**
     * Makes the shadow build of a task its model, as a new version without a shadow. After a lost connection it is not sent again:
     * the task shows whether it was made.
     *
     * @param expected refuses the call unless this version is in use and this build is the shadow build
     */
    promote(name: string, expected?: TaskPromotion, { signal }?: SignalOptions): Promise<Task>;
    /** Deletes a task with everything that is known about its answers. */
    delete(name: string, { signal }?: SignalOptions): Promise<DeletedTask>;
    /** Sends a piece of the labels. `before`: how many labels precede it. */
    private sendLabels;
    private json;
}
