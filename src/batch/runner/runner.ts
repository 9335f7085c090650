import { setMaxListeners } from 'node:events';
import type { Access, Caller, Charge, Reservation } from '../../access/index.js';
import { type Clock, nextTurn } from '../../base/index.js';
import { type DecideDependencies, type Decision, decide, type Settlement } from '../../decide/index.js';
import type { Engine } from '../../engine/index.js';
import type { RawWrite, Store } from '../../store/index.js';
import { apply } from '../lifecycle/apply.js';
import { type Batch, type BatchEvent, isFinished, mayStart } from '../lifecycle/transitions.js';
import { answeredLine, unansweredLine } from '../result-line.js';
import type { BatchLine, SealedBatch } from '../sealed-batch.js';
import type { WriteBuffer } from '../write-buffer.js';
import { Funds } from './funds.js';
import { LineReader, type LineReaderDependencies } from './line-reader.js';
import type { OpenBatch } from './open-batch.js';
import { type Failure, failureOf, retryWaitMs, TRIES_MAX, WITHDRAWN } from './outcome.js';
import { type Readiness, RunQueue } from './queue.js';
import { ReadAhead } from './read-ahead.js';

/** Lines that are prepared at one time: a live request waits for no more than these. */
const PREPARING_MAX = 2;
/** How often keys, windows and credit are looked at while nothing else happens. */
const LOOK_MS = 1_000;
/** Batches that are looked at in one turn of the event loop. */
const LOOKED_MAX = 64;
/** Most lines that are started or given up in one turn: whoever withdraws a model gives up all that is left of it. */
const STEPS_MAX = 256;

/** What the runner needs of the rest of the program. */
export interface RunnerDependencies {
  readonly access: Pick<Access, 'holder' | 'pause' | 'reserveLine' | 'covers' | 'writable'>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly prepare: DecideDependencies['prepare'];
  readonly readLines: LineReaderDependencies['readLines'];
  /** The engine of a build, or of the model that a line names; undefined while there is none. */
  engine(model: string): Pick<Engine, 'run' | 'wantsBatch'> | undefined;
  /** Whether a workspace with these models may use the model that a line names; null: all. */
  mayUse(model: string, allowed: readonly string[] | null): boolean;
  /** What a line costs that a build answers. */
  chargeOf(build: string, inputTokens: number): Charge;
  /** Told of what was not expected: a damaged value, a fault of the engine. */
  onError(error: unknown, batch: string): void;
  onAnswered(decision: Decision): void;
  /** A line was refused or given up. */
  onFailed(): void;
  /** A batch has finished; what is written of it may still be on its way to the disk. */
  onFinished(batch: Batch): void;
}

/**
 * Answers the lines of all open batches, with the same `decide` as live requests.
 *
 * It hands on just so many lines that the engine's next waves are full, and not more: what waits in the engine cannot
 * be stopped any more by a cancel, a revoked key or an empty purse, and would take memory. Keys take turns; of each
 * key the oldest batch goes first.
 *
 * A line starts once its cost is reserved. Its result, its charge and the batch's counts enter the buffer in one turn
 * and so are written in one transaction. A crash loses what was not written: those lines run again.
 */
export class Runner {
  private readonly queue = new RunQueue();
  private readonly memory = new ReadAhead();
  private readonly funds: Funds;
  private readonly reader: LineReader;
  private readonly leaving = new AbortController();
  private preparing = 0;
  private looking = false;
  private cancelLook = () => {};
  private cancelNextTurn = () => {};

  constructor(
    private readonly store: Store,
    private readonly buffer: WriteBuffer,
    private readonly deps: RunnerDependencies,
  ) {
    this.funds = new Funds(deps.access, deps.onError);
    this.reader = new LineReader(this.memory, deps, this.leaving.signal, ({ batch }) => {
      this.queue.wake(batch.key);
      this.run();
    });
    // Every line in progress listens; Node would warn of a leak from the eleventh on.
    setMaxListeners(0, this.leaving.signal);
  }

  /** The batches of a key that are queued or running, oldest first. */
  openOf(key: string): readonly OpenBatch[] {
    return this.queue.all(key).filter(({ batch }) => mayStart(batch));
  }

  get openCount(): number {
    return this.queue.size;
  }

  /** Runs a batch: a new one, or one that was open when the last process ended. */
  add(open: OpenBatch): void {
    this.queue.add(open);
    this.look(open);
    this.settle(open);
    this.run();
    this.lookLater();
  }

  /** Throws ApiError `batch_finished`. */
  cancel(open: OpenBatch): void {
    this.event(open, 'cancel');
    this.settle(open);
  }

  /** The open batch of an id. */
  find(id: string): OpenBatch | undefined {
    return this.queue.find(id);
  }

  /** No line starts any more, and those in progress are given up: the next process runs them again. */
  stop(): void {
    this.cancelLook();
    this.cancelNextTurn();
    this.leaving.abort();
  }

  /** Starts as many lines as there is room for. */
  private run(): void {
    this.cancelNextTurn();
    if (this.leaving.signal.aborted || !this.deps.access.writable) return;
    for (let step = 0; this.preparing < PREPARING_MAX && step < STEPS_MAX; step += 1) {
      if (!this.startNext()) return;
    }
    if (this.preparing < PREPARING_MAX) this.cancelNextTurn = this.deps.clock.after(0, () => this.run());
  }

  private lookLater(): void {
    if (this.looking || this.openCount === 0 || this.leaving.signal.aborted) return;
    this.looking = true;
    this.cancelLook = this.deps.clock.after(LOOK_MS, () => {
      const looked = this.lookAtAll().catch((error) => this.deps.onError(error, '-'));
      void looked.then(() => {
        this.looking = false;
        this.lookLater();
      });
    });
  }

  /** Some in a turn of the event loop; what ends with them is on the disk before the next, which bounds a flush. */
  private async lookAtAll(): Promise<void> {
    const all = this.queue.batches;
    for (let at = 0; at < all.length; at += LOOKED_MAX) {
      if (at > 0) await this.buffer.flush().then(nextTurn, nextTurn);
      if (this.leaving.signal.aborted) return;
      for (const open of all.slice(at, at + LOOKED_MAX)) {
        this.look(open);
        // Credit may have come.
        this.queue.wake(open.batch.key);
      }
      this.run();
    }
  }

  /** Ends what has no right to go on. */
  private look(open: OpenBatch): void {
    // Also of one that ends already: a key that is revoked stops what expires.
    if (isFinished(open.batch)) return;
    if (this.deps.access.holder(open.batch.key)?.hasEnded !== false) this.event(open, 'key_ended');
    else if (open.deadline.hasPassed(open.batch, this.deps.clock)) this.event(open, 'window_ended');
    else this.moveExpiry(open);
    this.settle(open);
  }

  /** The end of its window is shown by the calendar as it is now. */
  private moveExpiry(open: OpenBatch): void {
    const expires = open.deadline.expires(open.batch, this.deps.clock);
    if (expires === open.batch.expires) return;
    open.batch = { ...open.batch, expires };
    this.buffer.put(open.batch);
  }

  private startNext(): boolean {
    // Engines are asked once for all batches: they look through what waits.
    const withRoom = new Set(this.queue.models.filter((model) => this.hasRoom(model)));
    if (withRoom.size === 0) return false;
    const open = this.queue.next((each) => this.readiness(each, withRoom));
    if (open === undefined) return false;
    const line = open.take(this.memory);
    this.queue.passTurn(open);
    if (this.mayUse(open, line)) this.start(open, line);
    else {
      this.giveUp(open, line, WITHDRAWN);
      this.settle(open);
    }
    return true;
  }

  /** Whether its next line may be taken now, to be started or given up. */
  private readiness(open: OpenBatch, withRoom: ReadonlySet<string>): Readiness {
    // First what reads no line: the lines of batches that wait their turn take no memory.
    if (!open.batch.models.some((model) => withRoom.has(model))) return this.waitsForRoom(open);
    this.look(open);
    if (!this.mayRun(open)) {
      open.release(this.memory);
      return 'rests';
    }
    if (this.reader.rests(open)) return 'rests';
    if (open.wantsLines) {
      if (!this.memory.hasRoom) return 'no_room';
      this.reader.read(open);
      return 'reads';
    }
    const line = open.next;
    if (line === undefined || open.isDamaged) return 'rests';
    if (withRoom.has(line.model) || !this.mayUse(open, line)) return 'now';
    return this.waitsForRoom(open);
  }

  /** Whether the batch and its key have the right to start a line. */
  private mayRun({ batch, isDamaged }: OpenBatch): boolean {
    const caller = this.deps.access.holder(batch.key);
    if (isDamaged || !mayStart(batch) || caller?.works !== true) return false;
    return this.funds.mayStart(caller);
  }

  /** Those that may be able to go on meanwhile have the memory. */
  private waitsForRoom(open: OpenBatch): Readiness {
    if (!this.memory.hasRoom) open.release(this.memory);
    return 'no_room';
  }

  /** Also where there is no engine: its lines are to fail, and be tried again. */
  private hasRoom(model: string): boolean {
    return this.deps.engine(model)?.wantsBatch !== false;
  }

  private mayUse({ batch }: OpenBatch, { model }: BatchLine): boolean {
    const models = this.deps.access.holder(batch.key)?.workspace.models;
    return models !== undefined && this.deps.mayUse(model, models);
  }

  private start(open: OpenBatch, line: BatchLine): void {
    open.inProgress += 1;
    const answered = this.answer(open, line).catch((error) => this.deps.onError(error, open.batch.id));
    void answered.then(() => {
      open.inProgress -= 1;
      if (this.leaving.signal.aborted) return;
      this.settle(open);
      // What it held may be another line's now.
      this.queue.wake(open.batch.key);
      this.run();
    });
  }

  private async answer(open: OpenBatch, line: BatchLine): Promise<void> {
    const { signal } = this.leaving;
    const caller = this.deps.access.holder(open.batch.key) as Caller;
    const { clock, prepare } = this.deps;
    const dependencies: DecideDependencies = {
      clock,
      prepare,
      engine: (build) => this.deps.engine(build),
      reserve: (build, inputTokens) => {
        const charge = this.deps.chargeOf(build, inputTokens);
        return this.settlement(open, line, this.reserve(open, caller, charge));
      },
    };
    const prepared = this.prepares();
    try {
      await decide(taskOf(line, caller), dependencies, { signal, urgency: 'batch', onQueued: prepared });
    } catch (error) {
      if (error instanceof NotStarted) open.putBack(line, this.memory);
      else if (!signal.aborted) this.failed(open, line, error);
    } finally {
      prepared();
    }
  }

  /** The line starts. Throws NotStarted where its batch has ended meanwhile, or its key cannot pay for it now. */
  private reserve(open: OpenBatch, caller: Caller, charge: Charge): Reservation {
    this.look(open);
    const reservation = mayStart(open.batch) ? this.funds.reserve(caller, charge) : null;
    if (reservation === null) throw new NotStarted();
    this.event(open, 'line_started');
    return reservation;
  }

  /** Counts a line as being prepared until the function returned is called, more than once does no harm. */
  private prepares(): () => void {
    let prepares = true;
    this.preparing += 1;
    return () => {
      if (!prepares) return;
      prepares = false;
      this.preparing -= 1;
      this.run();
    };
  }

  /** Charges a line in the turn in which its result and its batch's counts enter the buffer. */
  private settlement(open: OpenBatch, line: BatchLine, reservation: Reservation): Settlement {
    return {
      release: () => reservation.release(),
      post: (decision) => {
        const result = this.resultOf(open, line, decision, reservation);
        reservation.post();
        open.batch = { ...open.batch, done: open.batch.done + 1 };
        this.keep(open, line, result);
        this.deps.onAnswered(decision);
      },
    };
  }

  /** The write of a line's result. If it throws, or the runner has stopped, the line is not charged. */
  private resultOf(
    { sealed }: OpenBatch,
    { index, customId }: BatchLine,
    decision: Decision,
    reservation: Reservation,
  ): RawWrite {
    try {
      this.leaving.signal.throwIfAborted();
      return (sealed as SealedBatch).writeResult(index, answeredLine(customId, decision));
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  private failed(open: OpenBatch, line: BatchLine, error: unknown): void {
    const failure = failureOf(error);
    if (failure.type === 'internal_error') this.deps.onError(error, open.batch.id);
    // Also what is refused before it costs anything has run.
    if (mayStart(open.batch)) this.event(open, 'line_started');
    const tries = line.tries + 1;
    if (!failure.temporary || tries === TRIES_MAX) {
      this.giveUp(open, line, failure);
      return;
    }
    const tryAgain = open.retry(line, this.memory);
    this.deps.clock.after(retryWaitMs(tries, this.deps.random()), () => {
      tryAgain();
      this.queue.wake(open.batch.key);
      this.run();
    });
  }

  private giveUp(open: OpenBatch, line: BatchLine, failure: Failure): void {
    const { batch, sealed } = open;
    const result = (sealed as SealedBatch).writeResult(line.index, unansweredLine(line, failure));
    open.batch = { ...batch, failed: batch.failed + 1 };
    this.keep(open, line, result);
    this.deps.onFailed();
  }

  private keep(open: OpenBatch, { index }: BatchLine, result: RawWrite): void {
    open.resolve(index);
    this.buffer.put(open.batch, result);
  }

  private event(open: OpenBatch, event: BatchEvent): void {
    const next = apply(open.batch, event, this.deps.clock.now());
    if (next === open.batch) return;
    open.batch = next;
    this.buffer.put(next);
    if (mayStart(next)) return;
    // The line that its key waits to pay for may have been one of this batch.
    this.funds.forget(next.key);
    this.queue.wake(next.key);
  }

  /** Finishes a batch of which no line is in progress, and none is to be run. */
  private settle(open: OpenBatch): void {
    if (open.inProgress > 0 || isFinished(open.batch)) return;
    if (!open.isResolved && mayStart(open.batch)) return;
    this.event(open, open.batch.done > 0 ? 'settled_answered' : 'settled_unanswered');
    const { id, chunks } = open.batch;
    this.buffer.write(this.store.table('batch_lines').removal([id, 0], [id, chunks]));
    open.end(this.memory);
    this.queue.remove(open);
    this.deps.onFinished(open.batch);
  }
}

/** A line has not started, and waits again. */
class NotStarted extends Error {}

function taskOf({ body }: BatchLine, { workspace }: Caller): Parameters<typeof decide>[0] {
  return {
    body,
    content: { encoding: 'identity', media: { kind: 'json' } },
    model: null,
    unknownModel: 'refuse',
    allowedModels: workspace.models,
  };
}
