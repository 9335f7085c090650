import { OperatorError } from '../base/index.js';
import type { Archive, ArchivedAnswer, Outcome, OutcomeError } from './archive.js';
import type { Case } from './cases/case.js';
import type { Target } from './targets/target.js';
import { averageOf, bodyOf, type VariantName } from './variants.js';

/** One request to make. */
export interface Task {
  readonly asked: Case;
  readonly variant: VariantName;
}

export interface RunOptions {
  /** Replaces the model that the cases name; null: as they say. */
  readonly model: string | null;
  /** Aborting it stops the run: requests in progress are finished and archived, no further one is made. */
  readonly signal: AbortSignal;
  /** Called for every archived answer. */
  readonly onAnswer: (answer: ArchivedAnswer) => void;
  /**
   * Called when the target refuses a request with 429 or 503; no request is sent until the promise resolves. It should
   * wait as long as `Retry-After` says, or until the signal aborts.
   */
  readonly wait: (error: OutcomeError, seconds: number) => Promise<void>;
}

/** Attempts of a request that is refused with `Retry-After`; any other failure is not repeated. */
const TRIES_MAX = 5;
/** Statuses, or types without a status. If the first outcome has one of them, all others would be the same. */
const HOPELESS: ReadonlyArray<number | string> = [401, 402, 'unreachable'];

/**
 * Makes the requests of `tasks`, as many at a time as the target takes, and archives every outcome.
 *
 * @returns whether all were made; false if the signal aborted
 * @throws OperatorError if the first outcome says that the target cannot be used
 */
export async function runTasks(
  tasks: readonly Task[],
  target: Target,
  archive: Archive,
  options: RunOptions,
): Promise<boolean> {
  const run = new Run(tasks, target, archive, options);
  const workers = Math.min(target.concurrency, tasks.length);
  // Not `Promise.all`: after an error, the archive must stay open until the requests in progress are done.
  const ends = await Promise.allSettled(Array.from({ length: workers }, () => run.work()));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return run.complete;
}

class Run {
  private next = 0;
  private made = 0;
  private answered = 0;
  private failed = false;
  /** While it is pending, no request is sent. */
  private waiting: Promise<void> = Promise.resolve();

  constructor(
    private readonly tasks: readonly Task[],
    private readonly target: Target,
    private readonly archive: Archive,
    private readonly options: RunOptions,
  ) {}

  get complete(): boolean {
    return this.made === this.tasks.length;
  }

  async work(): Promise<void> {
    for (;;) {
      await this.pause();
      const task = this.stopped ? undefined : this.tasks[this.next++];
      if (task === undefined) return;
      try {
        await this.make(task);
      } catch (error) {
        this.failed = true;
        throw error;
      }
    }
  }

  private get stopped(): boolean {
    return this.failed || this.options.signal.aborted;
  }

  private async make({ asked, variant }: Task): Promise<void> {
    const body = bodyOf(asked, variant, this.options.model);
    for (let tries = 1; ; tries += 1) {
      const reply = await this.target.ask(body, averageOf(variant));
      if (!('busy' in reply)) return this.keep({ case: asked.id, variant, repeated: tries - 1, ...reply });
      if (tries === TRIES_MAX) {
        return this.keep({ case: asked.id, variant, repeated: tries - 1, error: reply.busy });
      }
      const waits = [this.waiting, this.options.wait(reply.busy, reply.retryAfterSeconds)];
      this.waiting = Promise.all(waits).then(() => {});
      await this.pause();
      if (this.stopped) return;
    }
  }

  /** All workers wait together: the target asked for fewer requests. */
  private async pause(): Promise<void> {
    for (let waited: Promise<void> | undefined; waited !== this.waiting; ) {
      waited = this.waiting;
      await waited;
    }
  }

  private keep(answer: ArchivedAnswer): void {
    this.stopIfHopeless(answer);
    this.made += 1;
    if (!('error' in answer)) this.answered += 1;
    this.archive.add(answer);
    this.options.onAnswer(answer);
  }

  private stopIfHopeless(outcome: Outcome): void {
    if (!('error' in outcome) || this.answered > 0) return;
    const { status, type, message } = outcome.error;
    if (!HOPELESS.includes(status ?? type)) return;
    throw new OperatorError(`The target cannot be used: ${type}: ${message}`);
  }
}
