import { auditEntry, cancelRecord } from '../../../access/index.js';
import { ApiError, type BatchState } from '../../../api/index.js';
import type { Owner } from '../../../base/index.js';
import {
  apply,
  type Batch,
  type BatchInterface,
  Callbacks,
  CallerBatches,
  type ListAnswer,
  mayBeCancelled,
  type ResultPlace,
  type ResultStream,
  Runner,
  resultPieces,
  Submitter,
} from '../../../batch/index.js';
import { FolderBatchStore } from './batch-store.js';
import { FolderCalledBatches } from './called-batches.js';
import { BatchDeletion } from './deletion.js';
import type { FolderBatchDependencies } from './dependencies.js';
import { BatchErasures } from './erasures.js';
import { FolderProgress } from './progress.js';
import { FolderReader } from './reading/reader.js';
import { resumeBatches } from './resume.js';
import { FolderStoredBytes } from './stored-bytes.js';
import { Submissions } from './submissions.js';
import { BatchTimes } from './times.js';
import { FolderWorkBuffer } from './work-buffer.js';

/** The batch interface over the data folder of one host. Its constructor composes this folder. */
export class FolderBatches extends CallerBatches implements BatchInterface {
  private readonly storage: FolderStoredBytes;
  private readonly buffer: FolderWorkBuffer;
  private readonly times: BatchTimes;
  private readonly reader: FolderReader;
  private readonly callbacks: Callbacks;
  private readonly runner: Runner;
  private readonly created: FolderBatchStore;
  protected readonly submitter: Submitter;
  private readonly erasures: BatchErasures;
  private readonly deletion: BatchDeletion;

  constructor(private readonly deps: FolderBatchDependencies) {
    super(deps.terms);
    const { store, sealer, access, clock, random, engines, tasks, files, webhooks, reports } = deps;
    const storage = new FolderStoredBytes(store, deps);
    const buffer = new FolderWorkBuffer(store, access, storage, tasks);
    const times = new BatchTimes(store, buffer, clock.now());
    const submissions = new Submissions(store, clock, times);
    const reader = new FolderReader((call) => deps.read(call));
    const called = new FolderCalledBatches(store, sealer, buffer, clock);
    const callbacks = new Callbacks({ batches: called, clock, random, webhooks, reports });
    const onFinished = (batch: Batch) => {
      times.stamped(batch.id, 'finished');
      callbacks.add(batch);
    };
    const runner = new Runner({
      work: buffer,
      progress: (ends) => new FolderProgress({ buffer, access, clock, onFinished }, ends),
      access,
      clock,
      random,
      engines,
      tasks,
      reader,
      reports,
    });
    this.storage = storage;
    this.buffer = buffer;
    this.times = times;
    this.reader = reader;
    this.callbacks = callbacks;
    this.runner = runner;
    this.created = new FolderBatchStore({
      store,
      sealer,
      clock,
      runner,
      submissions,
      storage,
      reports,
      takeErasures: () => this.erasures.take(),
    });
    this.submitter = new Submitter({ batches: this.created, access, files, tasks, engines, webhooks });
    const isBeingStored = (id: string) => this.created.isBeingStored(id);
    this.erasures = new BatchErasures({ store, buffer, runner, clock, reports, isBeingStored });
    const isOpen = (id: string) => runner.find(id) !== undefined;
    this.deletion = new BatchDeletion({ store, buffer, submissions, times, clock, reports, isOpen });
  }

  /** Continues what the last process left open: batches, webhooks, deletion. Rejects with StoreError. */
  async start(): Promise<void> {
    const { store, sealer, reports } = this.deps;
    const { runner, callbacks, storage } = this;
    await this.erasures.start();
    await resumeBatches({ store, sealer, runner, callbacks, storage, reports });
    this.deletion.start();
  }

  get openCount(): number {
    return this.runner.openCount;
  }

  get openModels(): readonly string[] {
    return [...new Set([...this.runner.openModels.keys(), ...this.created.modelsBeingStored])];
  }

  get openByModel(): ReadonlyMap<string, number> {
    return this.runner.openModels;
  }

  modelsChanged(): void {
    this.runner.modelsChanged();
  }

  get openStates(): Partial<Record<BatchState, number>> {
    return this.runner.openStates;
  }

  /** Call it when the calendar has jumped by `ms`. See `BatchTimes.move`. */
  moveTimes(ms: number): Promise<void> {
    return this.times.move(ms);
  }

  /**
   * Drops the lines in progress, at once; the next process runs them again. Resolves when the webhook calls in progress
   * have ended and only the last flush is left to write.
   */
  async stop(): Promise<void> {
    this.runner.stop();
    this.erasures.stop();
    await Promise.all([this.callbacks.stop(), this.deletion.stop(), this.times.settled()]);
  }

  protected find(id: string): Batch | undefined {
    return this.buffer.get(id);
  }

  protected listPart(owner: Owner, from: number, count: number | null): Promise<ListAnswer> {
    const { key } = owner;
    const { terms } = this;
    return this.reader.read(owner, 'list', { key, from, count, newer: this.buffer.newer(key), terms });
  }

  protected async cancelStored(id: string, actor: string | null): Promise<Batch | undefined> {
    const open = this.runner.find(id);
    const batch = open?.batch ?? this.find(id);
    const now = this.deps.clock.now();
    // Throws `batch_finished`; nothing changes if the batch was cancelled before.
    const isNew = batch !== undefined && apply(batch, 'cancel', now) !== batch;
    if (open !== undefined) this.runner.cancel(open);
    if (isNew && actor !== null) this.buffer.audit(auditEntry(now, actor, cancelRecord(batch)));
    // What is not written now is written later, unless the process ends before.
    await this.buffer.flush().catch(() => {
      throw mayBeCancelled(id);
    });
    return this.find(id);
  }

  protected async resultsOf(owner: Owner, { id }: Batch): Promise<ResultStream | undefined> {
    await this.written();
    const batch = this.find(id);
    const dataKey = this.deps.sealer.dataKey(id);
    if (batch === undefined || batch.deleted || dataKey === undefined) return undefined;
    const read = (from: ResultPlace) => this.reader.read(owner, 'results', { batch, dataKey, from });
    return { pieces: resultPieces(read), collected: () => this.collected(id) };
  }

  private collected(id: string): void {
    // Read first, because reading it may make the calendar jump and move the batch's times.
    const now = this.deps.clock.now();
    const batch = this.buffer.get(id);
    if (batch === undefined || batch.deleted || batch.collected !== null) return;
    this.buffer.put({ ...batch, collected: now });
    this.times.stamped(id, 'collected');
  }

  private async written(): Promise<void> {
    try {
      await this.buffer.flush();
    } catch {
      throw new ApiError('batch_unavailable', 'The server cannot write to its data folder.');
    }
  }
}
