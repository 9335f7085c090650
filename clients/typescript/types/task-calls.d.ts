import type { SignalOptions } from './batch-calls.js';
import type { DeletedTask, StoredLabels, Task, TaskAnswers, TaskContent, TaskFit, TaskLabel, TaskState, TaskSummary } from './client-types.js';
import type { HttpCalls, ResponseInfo } from './http-calls.js';
/** The tasks of the key's workspace. Every call rejects with DeciderError, or with the reason of its signal. */
export declare class TaskCalls {
    private readonly calls;
    constructor(calls: HttpCalls);
    /** Makes a task, or changes it: other questions or another model make a new version. */
    put(name: string, task: TaskContent, { signal }?: SignalOptions): Promise<Task>;
    /** All tasks, by name, without their questions. */
    list({ signal }?: SignalOptions): Promise<TaskSummary[]>;
    show(name: string, { signal }?: SignalOptions): Promise<Task>;
    /** Answers the questions of a task about a state. `info` of the response is about the HTTP exchange. */
    decide(name: string, request: TaskState, { signal }?: SignalOptions): Promise<TaskAnswers & {
        readonly info: ResponseInfo;
    }>;
    /**
     * Says which answers were correct: at most 1,000 in a call, all of which are stored, or none. Labels of answers are sent
     * again after a lost connection, which changes nothing; those with a state are not, because they are charged.
     */
    label(name: string, labels: readonly TaskLabel[], { signal }?: SignalOptions): Promise<StoredLabels>;
    /** Fits a task to its labels, and puts its thresholds in force. */
    fit(name: string, { signal }?: SignalOptions): Promise<TaskFit>;
    /** Deletes a task with everything that is known about its answers. */
    delete(name: string, { signal }?: SignalOptions): Promise<DeletedTask>;
    private json;
}
