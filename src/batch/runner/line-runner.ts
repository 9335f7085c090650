import type { Access, Caller, Charge, Reservation } from '../../access/index.js';
import type { Clock } from '../../base/index.js';
import { type DecideDependencies, type Decision, decide, type Settlement } from '../../decide/index.js';
import { NotComputed } from '../../engine/index.js';
import { answerOf, lineReference } from '../../tasks/index.js';
import type { BatchReports, BatchTasks, LineAnswer, LineEngines, TaskOfLine } from '../batch-dependencies.js';
import type { LineTask } from '../ingest/chunks.js';
import { mayStart } from '../lifecycle/batch-transitions.js';
import { lineLabel } from '../line-aborts.js';
import { answeredLine, unansweredLine } from '../result-line.js';
import { type BatchKey, type BatchLine, sealResult } from '../sealed-values.js';
import { entryBytes } from '../stored-bytes.js';
import type { BatchProgress, BatchWork, LineResult } from './batch-progress.js';
import type { Funds } from './funds.js';
import { type Failure, failureOf, retryWaitMs, TASK_DELETED, TRIES_MAX } from './line-outcome.js';
import type { OpenBatch } from './open-batch.js';
import type { ReadAhead } from './read-ahead.js';

/** Maximum number of lines prepared concurrently. So a live request waits for at most this many lines. */
const PREPARING_MAX = 2;

interface Parts {
  readonly work: BatchWork;
  readonly access: Pick<Access, 'holder'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly tasks: Pick<BatchTasks, 'ask'>;
  readonly reports: BatchReports;
  readonly progress: BatchProgress;
  readonly funds: Funds;
  readonly memory: ReadAhead;
  /** Aborts when the process stops. The next process runs the lines in progress again. */
  readonly signal: AbortSignal;
  /** A line has been prepared: another one may be. */
  onPrepared(): void;
  /** Lines of a key may be able to start: one of them has ended, or is due for its next try. */
  onReady(key: string): void;
}

/**
 * Runs lines through `decide`: reserves the cost of each, stores its result together with the charge, and retries
 * temporary failures.
 *
 * A line starts when its cost is reserved. Result, charge and the batch's counts enter the work buffer in one turn of
 * the event loop, and so are written in one transaction. A line whose transaction is lost in a crash runs again.
 */
export class LineRunner {
  /** The labels of the lines that are being prepared. */
  private readonly preparing = new Set<string>();
  /** Lines being prepared or computed. */
  private inProgress = 0;
  private isAlone = false;

  constructor(private readonly parts: Parts) {}

  /** Whether another line may be started. */
  get hasRoom(): boolean {
    return this.preparing.size < PREPARING_MAX;
  }

  /** Whether no line is in progress. */
  get isIdle(): boolean {
    return this.inProgress === 0;
  }

  /** Whether a line is in progress beside which no other may start. */
  get runsAlone(): boolean {
    return this.isAlone;
  }

  /** A line that was in progress at an abort must be started while none is in progress. */
  start(open: OpenBatch, line: BatchLine): void {
    const { reports, signal, progress } = this.parts;
    open.inProgress += 1;
    this.inProgress += 1;
    this.isAlone = open.aborts.has(line.index);
    const answered = this.answer(open, line).catch((error) => reports.error(error, open.batch.id));
    void answered.then(() => {
      open.inProgress -= 1;
      this.inProgress -= 1;
      this.isAlone = false;
      if (signal.aborted) return;
      if (!open.isDropped) progress.settle(open);
      this.parts.onReady(open.batch.key);
    });
  }

  /** Stores a failure as the line's result. */
  giveUp(open: OpenBatch, line: BatchLine, failure: Failure): void {
    const { batch, key } = open;
    const sealed = sealResult(key as BatchKey, line.index, unansweredLine(line, failure));
    open.batch = { ...batch, failed: batch.failed + 1 };
    this.storeResult(open, line, { answered: false, sealed, kept: null });
    this.parts.reports.failed();
  }

  private async answer(open: OpenBatch, line: BatchLine): Promise<void> {
    const { access, clock, engines, memory, signal } = this.parts;
    const caller = access.holder(open.batch.key) as Caller;
    const label = lineLabel(open.batch.id, line.index);
    const prepared = this.countPreparing(label);
    const options = {
      signal,
      urgency: 'batch',
      label,
      alone: this.isAlone || open.suspects.has(line.index),
      workspace: caller.workspace.id,
      onQueued: prepared,
    } as const;
    try {
      const about = line.task === null ? null : await this.about(open, line.task);
      await engines.use(({ prepare, engine, chargeOf }) => {
        const dependencies: DecideDependencies = {
          clock,
          prepare,
          engine,
          reserve: (build, inputTokens) => {
            const charge = chargeOf(build, inputTokens);
            return this.settlement(open, line, this.reserve(open, caller, line, charge), about);
          },
        };
        return decide(requestOf(line, caller, about), dependencies, options);
      });
    } catch (error) {
      if (error instanceof NotStarted) open.putBack(line, memory);
      else if (error instanceof NotComputed) this.notComputed(open, line, error);
      else if (signal.aborted || open.isDropped) return;
      else if (error instanceof TaskDeleted) this.giveUp(open, line, TASK_DELETED);
      else this.failed(open, line, error);
    } finally {
      prepared();
    }
  }

  /** What the line lacks of its task. Rejects with TaskDeleted, and with NotStarted if the batch has ended meanwhile. */
  private async about(open: OpenBatch, task: LineTask): Promise<TaskOfLine> {
    const about = await this.parts.tasks.ask(open.batch.workspace, task);
    if (about !== null) return about;
    throw mayStart(open.batch) ? new TaskDeleted() : new NotStarted();
  }

  /** Throws NotStarted if the batch has ended or was dropped since the line was taken, or the key cannot pay for the line now. */
  private reserve(open: OpenBatch, caller: Caller, { model, task }: BatchLine, charge: Charge): Reservation {
    const { progress, funds } = this.parts;
    if (open.isDropped) throw new NotStarted();
    progress.applyEnds(open);
    const reservation = mayStart(open.batch) ? funds.reserve(caller, { open, model, task, charge }) : null;
    if (reservation === null) throw new NotStarted();
    progress.apply(open, 'line_started');
    return reservation;
  }

  /** Counts a line as being prepared until the returned function is called for the first time. */
  private countPreparing(label: string): () => void {
    const { engines, onPrepared } = this.parts;
    this.preparing.add(label);
    engines.notePreparing([...this.preparing]);
    return () => {
      if (!this.preparing.delete(label)) return;
      engines.notePreparing([...this.preparing]);
      onPrepared();
    };
  }

  /** Charges a line in the turn in which its result and its batch's counts enter the buffer. */
  private settlement(
    open: OpenBatch,
    line: BatchLine,
    reservation: Reservation,
    about: TaskOfLine | null,
  ): Settlement {
    return {
      release: () => reservation.release(),
      post: (decision) => {
        const sealed = this.sealedOf(open, line, decision, reservation);
        reservation.post();
        open.batch = { ...open.batch, done: open.batch.done + 1 };
        const kept = about && answerTo(about, open, line, decision);
        this.storeResult(open, line, { answered: true, sealed, kept });
        this.parts.reports.answered(decision);
      },
    };
  }

  /** A line's result, encrypted. If it throws, or the process is stopping, the line is not charged. */
  private sealedOf(
    open: OpenBatch,
    { index, customId }: BatchLine,
    decision: Decision,
    reservation: Reservation,
  ): Buffer {
    try {
      this.parts.signal.throwIfAborted();
      if (open.isDropped) throw new Dropped();
      return sealResult(open.key as BatchKey, index, answeredLine(customId, decision));
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** The line waits again, and the engine takes no line until a lane works. It has had no try. */
  private notComputed(open: OpenBatch, line: BatchLine, { hasFailed }: NotComputed): void {
    if (hasFailed) open.suspects.add(line.index);
    open.putBack(line, this.parts.memory);
  }

  private failed(open: OpenBatch, line: BatchLine, error: unknown): void {
    const { reports, progress, memory, clock, random } = this.parts;
    const failure = failureOf(error);
    open.suspects.delete(line.index);
    if (failure.type === 'internal_error') {
      // Its last wave failed although it had no others: the next one may fail too.
      open.suspects.add(line.index);
      reports.error(error, open.batch.id);
    }
    // A line that was refused before its cost was reserved has run too.
    if (mayStart(open.batch)) progress.apply(open, 'line_started');
    const tries = line.tries + 1;
    if (!failure.temporary || tries === TRIES_MAX) {
      this.giveUp(open, line, failure);
      return;
    }
    const tryAgain = open.retry(line, memory);
    clock.after(retryWaitMs(tries, random()), () => {
      tryAgain();
      this.parts.onReady(open.batch.key);
    });
  }

  private storeResult(
    open: OpenBatch,
    { index, chunk }: BatchLine,
    result: Pick<LineResult, 'answered' | 'sealed' | 'kept'>,
  ): void {
    open.resolve(index);
    const { stored } = open.batch;
    if (stored !== undefined) {
      const other = stored.other + entryBytes(result.sealed.length);
      open.batch = { ...open.batch, stored: { ...stored, other } };
    }
    this.parts.work.putResult(open.batch, { line: index, chunk, ...result });
  }
}

/** The line has not started and waits again. */
class NotStarted extends Error {}

/** The line has not started, and its task was deleted. */
class TaskDeleted extends Error {}

/** The batch was dropped while the line was in progress: the line has no result here. */
class Dropped extends Error {}

function requestOf(
  { body, model }: BatchLine,
  { workspace }: Caller,
  about: TaskOfLine | null,
): Parameters<typeof decide>[0] {
  const request = {
    body,
    content: { encoding: 'identity', media: { kind: 'json' } },
    model: null,
    allowedModels: workspace.models,
    diagnostics: 'line',
  } as const;
  if (about === null) return { ...request, format: 'decide' };
  return { ...request, format: 'task', task: { ...about.asked, model } };
}

const answerTo = (
  { task, asked }: TaskOfLine,
  { batch }: OpenBatch,
  { customId }: BatchLine,
  decision: Decision,
): LineAnswer => ({ task, answer: answerOf(asked, lineReference(batch.id, customId), decision) });
