import { AccessError } from '../../access/index.js';
import { type Clock, OperatorError, ThreadPool, ThreadStartError } from '../../base/index.js';
import type { TaskCall, TaskOutcome } from './messages.js';
import type { TaskArguments, TaskName, TaskResult } from './tasks.js';

/** The data cannot be read or written now. Nothing was changed. */
export class DataUnavailable extends OperatorError {
  override readonly name = 'DataUnavailable';
}

/** The database did not tell whether a change was made. */
export class OutcomeUnknown extends OperatorError {
  override readonly name = 'OutcomeUnknown';
}

/** Reads and changes of the stored data for the operator, in a thread that starts with the first of them. */
export class AdministrationThread {
  private readonly thread: ThreadPool;
  private isClosing = false;

  /** `file`: the module of the thread, which gets `data`. `clock`: the server's calendar. */
  constructor(
    file: URL,
    data: unknown,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.thread = new ThreadPool({ file, threads: 1, data });
  }

  /**
   * Runs a task. When it resolves, what it has changed is stored and counts for the next request. Rejects with
   * AccessError if the task is refused, with DataUnavailable, and with OutcomeUnknown.
   *
   * @param actor in the audit log
   */
  async run<Name extends TaskName>(
    actor: string,
    name: Name,
    args: TaskArguments<Name>,
  ): Promise<TaskResult<Name>> {
    if (this.isClosing) throw new DataUnavailable('The server is stopping.');
    const call: TaskCall = { name, args, actor, now: this.clock.now() };
    const outcome = await this.thread.run<TaskOutcome>('run', call).catch((error: Error): TaskOutcome => {
      if (!(error instanceof ThreadStartError)) throw error;
      return { kind: 'unavailable', message: `The administration thread cannot start: ${error.message}` };
    });
    if (outcome.kind === 'done') return outcome.result as TaskResult<Name>;
    if (outcome.kind === 'unknown') throw new OutcomeUnknown(outcome.message);
    if (outcome.kind === 'unavailable') throw new DataUnavailable(outcome.message);
    throw new AccessError(outcome.argument, outcome.problem, outcome.refusal);
  }

  /** Waits for the tasks in progress. Later ones are refused. */
  close(): Promise<void> {
    this.isClosing = true;
    return this.thread.close();
  }
}
