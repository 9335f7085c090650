import { setMaxListeners } from 'node:events';
import type { Access } from '../../access/index.js';
import type { BatchState } from '../../api/index.js';
import { type Clock, nextTurn } from '../../base/index.js';
import type { BatchReports, BatchTasks, LineEngines } from '../batch-dependencies.js';
import { mayStart } from '../lifecycle/batch-transitions.js';
import { ABORTS_MAX } from '../line-aborts.js';
import type { ChunkSource } from '../reading/open-chunk.js';
import type { BatchLine } from '../sealed-values.js';
import { AwaitedTasks } from './awaited-tasks.js';
import type { BatchEnds, BatchProgress, BatchWork } from './batch-progress.js';
import type { ChunkRange } from './claimed-chunks.js';
import { type AwaitedLine, Funds } from './funds.js';
import { ABORTED, type Failure, WITHDRAWN } from './line-outcome.js';
import { LineReader } from './line-reader.js';
import { LineRunner } from './line-runner.js';
import type { OpenBatch } from './open-batch.js';
import { type Readiness, RunQueue } from './queue.js';
import { ReadAhead } from './read-ahead.js';

/** How often keys, windows and credit are checked when nothing else happens. */
const CHECK_MS = 1_000;
/** Batches checked in one turn of the event loop. */
const CHECKED_MAX = 64;
/** Maximum number of lines started or given up in one turn: withdrawing a model gives up all its remaining lines. */
const STEPS_MAX = 256;

interface Parts {
  readonly work: BatchWork;
  /** Creates the progress of the runner's batches. */
  readonly progress: (ends: BatchEnds) => BatchProgress;
  readonly access: Pick<Access, 'holder' | 'pause' | 'reserveLine' | 'covers' | 'writable' | 'onFunds'>;
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly tasks: Pick<BatchTasks, 'ask'>;
  readonly reader: ChunkSource;
  readonly reports: BatchReports;
}

/**
 * Runs the lines of all open batches: decides which line starts next.
 *
 * It keeps just enough lines in the engine to fill the next waves. A line that waits in the engine takes memory, and a
 * cancel, a revoked key or missing credit no longer stops it. Keys take turns; within a key the oldest batch goes first.
 */
export class Runner {
  private readonly queue = new RunQueue();
  private readonly memory = new ReadAhead();
  private readonly funds: Funds;
  private readonly awaitedTasks: AwaitedTasks;
  private readonly progress: BatchProgress;
  private readonly reader: LineReader;
  private readonly lines: LineRunner;
  private readonly leaving = new AbortController();
  private checking = false;
  private cancelCheck = () => {};
  private cancelNextTurn = () => {};

  constructor(private readonly parts: Parts) {
    const { work, access, clock, random, engines, tasks, reports, reader } = parts;
    const { queue, memory } = this;
    const { signal } = this.leaving;
    const onReady = (key: string) => {
      queue.wake(key);
      this.run();
    };
    const isWanted = ({ open, model }: AwaitedLine) => !open.isDamaged && this.mayUse(open, model);
    const funds = new Funds(access, reports, isWanted);
    const progress = parts.progress({
      stopped: (open) => this.endLines(open),
      remove: (open) => this.remove(open),
    });
    this.funds = funds;
    this.progress = progress;
    this.reader = new LineReader({
      reader,
      memory,
      clock,
      reports,
      signal,
      onRead: ({ batch }) => onReady(batch.key),
    });
    this.lines = new LineRunner({
      work,
      access,
      clock,
      random,
      engines,
      tasks,
      reports,
      progress,
      funds,
      memory,
      signal,
      onPrepared: () => this.run(),
      onReady,
    });
    this.awaitedTasks = new AwaitedTasks({
      tasks,
      funds,
      onDeleted: ({ open }) => {
        funds.ended(open);
        onReady(open.batch.key);
      },
    });
    access.onFunds(() => this.wakeAll());
    // Every line in progress listens to it; Node would warn of a leak at the eleventh.
    setMaxListeners(0, signal);
  }

  /** The batches of a key that are queued or running, oldest first. */
  openOf(key: string): readonly OpenBatch[] {
    return this.queue.all(key).filter(({ batch }) => mayStart(batch));
  }

  get openCount(): number {
    return this.queue.size;
  }

  /** How many open batches are in each state. */
  get openStates(): Partial<Record<BatchState, number>> {
    const counts: Partial<Record<BatchState, number>> = {};
    for (const { batch } of this.queue.batches) counts[batch.state] = (counts[batch.state] ?? 0) + 1;
    return counts;
  }

  find(id: string): OpenBatch | undefined {
    return this.queue.find(id);
  }

  /** How many open batches name each model or build. */
  get openModels(): ReadonlyMap<string, number> {
    return this.queue.namedCounts;
  }

  /** Call it when other models are loaded: lines that wait for an engine or for credit may be able to start. */
  modelsChanged(): void {
    for (const { batch } of this.queue.batches) {
      // The next line is priced again: the build that its price was computed for may be gone.
      this.funds.forget(batch.key);
      this.queue.wake(batch.key);
    }
    this.run();
  }

  /** Runs a batch: a new one, or one that was open when the last process ended. */
  add(open: OpenBatch): void {
    this.queue.add(open);
    this.progress.applyEnds(open);
    this.progress.settle(open);
    this.run();
    this.checkLater();
  }

  /** Runs further chunks of a batch that is restricted to some of its chunks. */
  extend(open: OpenBatch, chunks: Iterable<ChunkRange>): void {
    open.addChunks(chunks);
    // Every line of them may have its result.
    this.progress.settle(open);
    this.queue.wake(open.batch.key);
    this.run();
  }

  /**
   * Forgets a batch at once: lines in progress are neither stored nor charged, and no line starts. Another host may run
   * them.
   */
  drop(open: OpenBatch): void {
    open.isDropped = true;
    this.remove(open);
  }

  /** Whether a batch waits for credit, as far as the cost of its next line is known. */
  awaitsCredit({ batch }: OpenBatch): boolean {
    const { access } = this.parts;
    const caller = access.holder(batch.key);
    return access.writable && caller !== undefined && !this.funds.covers(caller);
  }

  /** Whether no lane works of a model that a batch names, or the model is unknown: lines may wait until one does. */
  awaitsLane({ batch }: OpenBatch): boolean {
    const { engines } = this.parts;
    return batch.models.some((model) => !engines.knows(model) || engines.engine(model)?.workingLanes === 0);
  }

  /** Throws ApiError `batch_finished`. */
  cancel(open: OpenBatch): void {
    this.progress.apply(open, 'cancel');
    this.progress.settle(open);
  }

  /** No further line of the batch starts. It finishes with the last one in progress, and is then removed. */
  erase(open: OpenBatch): void {
    this.progress.apply(open, 'erase');
    this.progress.settle(open);
  }

  /** Starts no more lines and drops those in progress. The next process runs them again. */
  stop(): void {
    this.cancelCheck();
    this.cancelNextTurn();
    this.leaving.abort();
  }

  private remove(open: OpenBatch): void {
    open.end(this.memory);
    this.queue.remove(open);
    // Its chunks may have been given back without an end of the batch: then the line runs elsewhere, or here once claimed again.
    this.endLines(open);
  }

  /** No line of the batch starts here any more, also not the one whose cost the key cannot pay. */
  private endLines(open: OpenBatch): void {
    this.funds.ended(open);
    this.queue.wake(open.batch.key);
  }

  /** Lines that wait for credit may be able to start. */
  private wakeAll(): void {
    for (const { batch } of this.queue.batches) this.queue.wake(batch.key);
    this.run();
  }

  /** Starts as many lines as there is room for. */
  private run(): void {
    const { access, clock } = this.parts;
    this.cancelNextTurn();
    if (this.leaving.signal.aborted || !access.writable) return;
    for (let step = 0; this.lines.hasRoom && step < STEPS_MAX; step += 1) {
      if (!this.startNext()) return;
    }
    if (this.lines.hasRoom) this.cancelNextTurn = clock.after(0, () => this.run());
  }

  private checkLater(): void {
    const { clock, reports } = this.parts;
    if (this.checking || this.openCount === 0 || this.leaving.signal.aborted) return;
    this.checking = true;
    this.cancelCheck = clock.after(CHECK_MS, () => {
      const checked = this.checkAll().catch((error) => reports.error(error, '-'));
      void checked.then(() => {
        this.checking = false;
        this.checkLater();
      });
    });
  }

  /** A few in each turn of the event loop. Flushing after each few bounds the size of a transaction. */
  private async checkAll(): Promise<void> {
    this.awaitedTasks.check();
    const all = this.queue.batches;
    for (let at = 0; at < all.length; at += CHECKED_MAX) {
      if (at > 0) await this.parts.work.flush().then(nextTurn, nextTurn);
      if (this.leaving.signal.aborted) return;
      for (const open of all.slice(at, at + CHECKED_MAX)) {
        this.progress.applyEnds(open);
        // Credit may have been added.
        this.queue.wake(open.batch.key);
      }
      this.run();
    }
  }

  private startNext(): boolean {
    // Each engine is asked once for all batches, because it counts its queue to answer.
    if (this.lines.runsAlone) return false;
    const withRoom = new Set(this.queue.models.filter((model) => this.hasRoom(model)));
    if (withRoom.size === 0) return false;
    const open = this.queue.next((each) => this.readiness(each, withRoom));
    if (open === undefined) return false;
    const line = open.take(this.memory);
    this.queue.passTurn(open);
    const failure = this.failureOf(open, line);
    if (failure === null) this.lines.start(open, line);
    else {
      this.lines.giveUp(open, line, failure);
      this.progress.settle(open);
    }
    return true;
  }

  /** Why a line must not run; null if it may. */
  private failureOf(open: OpenBatch, line: BatchLine): Failure | null {
    if (!this.mayUse(open, line.model)) return WITHDRAWN;
    const aborts = open.aborts.get(line.index);
    if (aborts === undefined || aborts.count < ABORTS_MAX) return null;
    const what = `Line ${line.index} was in progress when the engine ended the server: ${aborts.reason}`;
    this.parts.reports.error(new Error(what), open.batch.id);
    return ABORTED;
  }

  /** Whether the batch's next line may be taken now, to be started or given up. */
  private readiness(open: OpenBatch, withRoom: ReadonlySet<string>): Readiness {
    // The checks that read no line come first: a batch that waits for its turn keeps no lines in memory.
    if (!open.batch.models.some((model) => withRoom.has(model))) return this.waitsForRoom(open);
    this.progress.applyEnds(open);
    if (!this.mayRun(open)) {
      open.release(this.memory);
      return 'blocked';
    }
    if (this.reader.isPaused(open)) return 'blocked';
    if (open.wantsLines) {
      const { nextModel } = open;
      if (nextModel !== null && !withRoom.has(nextModel) && this.mayUse(open, nextModel))
        return this.waitsFor(open, nextModel);
      if (!this.memory.hasRoom) return 'no_room';
      this.reader.read(open);
      return 'reads';
    }
    const line = open.next;
    if (line === undefined || open.isDamaged) return 'blocked';
    const aborts = open.aborts.get(line.index)?.count ?? 0;
    if (!this.mayUse(open, line.model) || aborts >= ABORTS_MAX) return 'now';
    if (withRoom.has(line.model)) return aborts > 0 && !this.lines.isIdle ? 'alone' : 'now';
    return this.waitsFor(open, line.model);
  }

  /** Whether the state of the batch, its key and its credit allow a line to start. */
  private mayRun({ batch, isDamaged }: OpenBatch): boolean {
    const caller = this.parts.access.holder(batch.key);
    if (isDamaged || !mayStart(batch) || caller?.works !== true) return false;
    return this.funds.covers(caller);
  }

  /** The next line is of a model without room. Of an unknown model, `modelsChanged` wakes the key. */
  private waitsFor(open: OpenBatch, model: string): Readiness {
    if (this.parts.engines.knows(model)) return this.waitsForRoom(open);
    open.release(this.memory);
    return 'blocked';
  }

  /** Leaves the read-ahead memory to batches whose models have room. */
  private waitsForRoom(open: OpenBatch): Readiness {
    if (!this.memory.hasRoom) open.release(this.memory);
    return 'no_room';
  }

  /**
   * False for an unknown model: its lines wait until a reload adds it. True if a known model has no engine: its lines fail,
   * and are retried.
   */
  private hasRoom(model: string): boolean {
    const { engines } = this.parts;
    return engines.knows(model) && engines.engine(model)?.wantsBatch !== false;
  }

  /** True for an unknown model: whether the workspace may use it shows once it is there. */
  private mayUse({ batch }: OpenBatch, model: string): boolean {
    const { access, engines } = this.parts;
    const models = access.holder(batch.key)?.workspace.models;
    return models !== undefined && (!engines.knows(model) || engines.mayUse(model, models));
  }
}
