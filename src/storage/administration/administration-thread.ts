import { AccessError, type ChangeArguments, type ChangeName, type ChangeResult } from '../../access/index.js';
import { type Clock, OperatorError, ThreadPool, ThreadStartError } from '../../base/index.js';
import type { AdministrationCall, CallOutcome } from './messages.js';
import type { ReadArguments, ReadName, ReadResult } from './reads.js';

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

  /**
   * `file`: the module of the thread, which gets `data`. `clock`: the server's calendar. `refresh`: makes what a call has
   * changed count for the next request; it never rejects.
   */
  constructor(
    file: URL,
    data: unknown,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly refresh: () => Promise<void> = async () => {},
  ) {
    this.thread = new ThreadPool({ file, threads: 1, data });
  }

  /** Makes one of READS. Rejects with AccessError if it is refused, and with DataUnavailable. */
  async read<Name extends ReadName>(name: Name, ...args: ReadArguments<Name>): Promise<ReadResult<Name>> {
    const result = await this.call({ kind: 'read', name, args, actor: '', now: this.clock.now() });
    return result as ReadResult<Name>;
  }

  /**
   * Makes one of CHANGES. When it resolves, the change is stored and counts for the next request. Rejects with AccessError if
   * it is refused, with DataUnavailable, and with OutcomeUnknown.
   *
   * @param actor in the audit log
   */
  async change<Name extends ChangeName>(
    actor: string,
    name: Name,
    ...args: ChangeArguments<Name>
  ): Promise<ChangeResult<Name>> {
    const result = await this.call({ kind: 'change', name, args, actor, now: this.clock.now() });
    return result as ChangeResult<Name>;
  }

  private async call(call: AdministrationCall): Promise<unknown> {
    if (this.isClosing) throw new DataUnavailable('The server is stopping.');
    const outcome = await this.thread.run<CallOutcome>('run', call).catch((error: Error): CallOutcome => {
      if (!(error instanceof ThreadStartError)) throw error;
      return { kind: 'unavailable', message: `The administration thread cannot start: ${error.message}` };
    });
    if (outcome.kind === 'unknown') throw new OutcomeUnknown(outcome.message);
    if (outcome.kind === 'unavailable') throw new DataUnavailable(outcome.message);
    if (outcome.kind === 'refused') {
      throw new AccessError(outcome.argument, outcome.problem, outcome.refusal);
    }
    await this.refresh();
    return outcome.result;
  }

  /** Waits for the calls in progress. Later ones are refused. */
  close(): Promise<void> {
    this.isClosing = true;
    return this.thread.close();
  }
}
