import type { Caller } from '../../../access/index.js';
import { ApiError, type BatchState } from '../../../api/index.js';
import {
  apply,
  type Batch,
  type BatchInterface,
  batchNotFinished,
  batchNotFound,
  batchObject,
  Callbacks,
  isFinished,
  listPieces,
  mayBeCancelled,
  type Page,
  type ResultPlace,
  type ResultStream,
  Runner,
  resultPieces,
  type Submission,
  Submitter,
  submitObject,
  unknownAfter,
} from '../../../batch/index.js';
import { FolderBatchStore } from './batch-store.js';
import { FolderCalledBatches } from './called-batches.js';
import { BatchDeletion } from './deletion.js';
import type { FolderBatchDependencies } from './dependencies.js';
import { FolderProgress } from './progress.js';
import { Reader } from './reading/reader.js';
import { resumeBatches } from './resume.js';
import { FolderStoredBytes } from './stored-bytes.js';
import { Submissions } from './submissions.js';
import { BatchTimes } from './times.js';
import { FolderWorkBuffer } from './work-buffer.js';

/** LMDB limits the length of keys, so ids of any other form are rejected without a look-up. */
const BATCH_ID = /^batch_[A-Za-z0-9]{24}$/;

/** The batch interface over the data folder of one host. Its constructor composes this folder. */
export class FolderBatches implements BatchInterface {
  private readonly storage: FolderStoredBytes;
  private readonly buffer: FolderWorkBuffer;
  private readonly times: BatchTimes;
  private readonly reader: Reader;
  private readonly callbacks: Callbacks;
  private readonly runner: Runner;
  private readonly created: FolderBatchStore;
  private readonly submitter: Submitter;
  private readonly retention: BatchDeletion;

  constructor(private readonly deps: FolderBatchDependencies) {
    const { store, sealer, access, clock, random, engines, files, webhooks, reports } = deps;
    const storage = new FolderStoredBytes(store, {
      bytesMax: () => deps.storedBytesMax(),
      workspacePercent: () => deps.workspacePercent(),
    });
    const buffer = new FolderWorkBuffer(store, access, storage);
    const times = new BatchTimes(store, buffer, clock.now());
    const submissions = new Submissions(store, clock, times);
    const reader = new Reader((call) => deps.read(call));
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
      reader,
      reports,
    });
    this.storage = storage;
    this.buffer = buffer;
    this.times = times;
    this.reader = reader;
    this.callbacks = callbacks;
    this.runner = runner;
    this.created = new FolderBatchStore({ store, sealer, clock, runner, submissions, storage, reports });
    this.submitter = new Submitter({ batches: this.created, access, files, engines, webhooks });
    this.retention = new BatchDeletion({ store, buffer, submissions, times, clock, reports });
  }

  /** Continues what the last process left open: batches, webhooks, deletion. Rejects with StoreError. */
  async start(): Promise<void> {
    const { store, sealer, reports } = this.deps;
    const { runner, callbacks, storage } = this;
    await resumeBatches({ store, sealer, runner, callbacks, storage, reports });
    this.retention.start();
  }

  async submit(caller: Caller, submission: Submission): Promise<object> {
    const batch = await this.submitter.submit(caller, submission);
    return submitObject(typeof batch === 'string' ? this.owned(caller, batch) : batch, this.deps.currency);
  }

  async list(caller: Caller, { limit, after }: Page): Promise<string | AsyncIterable<Uint8Array>> {
    const { currency } = this.deps;
    const key = caller.key.id;
    const owner = { key, workspace: caller.workspace.id };
    const read = (from: number, count: number | null) =>
      this.reader.read(owner, 'list', { key, from, count, newer: this.buffer.newer(key), currency });
    const start = after === null ? 0 : this.listed(caller, after).number + 1;
    return listPieces(await read(start, limit), limit, read);
  }

  /** Throws ApiError `batch_not_found`. */
  show(caller: Caller, id: string): object {
    return batchObject(this.owned(caller, id), this.deps.currency);
  }

  /** Resolves when the cancel is on the disk. Rejects with ApiError `batch_not_found`, `batch_finished`, `outcome_unknown`. */
  async cancel(caller: Caller, id: string): Promise<object> {
    const batch = this.owned(caller, id);
    const open = this.runner.find(id);
    // Already finished: throws `batch_finished`, or does nothing if the batch was cancelled.
    if (open === undefined) apply(batch, 'cancel', this.deps.clock.now());
    else this.runner.cancel(open);
    // What is not written now is written later, unless the process ends before.
    await this.buffer.flush().catch(() => {
      throw mayBeCancelled(id);
    });
    return this.show(caller, id);
  }

  async results(caller: Caller, id: string): Promise<ResultStream> {
    if (!isFinished(this.owned(caller, id))) throw batchNotFinished();
    await this.written();
    const batch = this.owned(caller, id);
    const dataKey = this.deps.sealer.dataKey(id);
    if (dataKey === undefined) throw batchNotFound();
    const read = (from: ResultPlace) => this.reader.read(batch, 'results', { batch, dataKey, from });
    return { pieces: resultPieces(read), collected: () => this.collected(id) };
  }

  get openCount(): number {
    return this.runner.openCount;
  }

  get openModels(): readonly string[] {
    return [...new Set([...this.runner.openModels, ...this.created.modelsBeingStored])];
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
    await Promise.all([this.callbacks.stop(), this.retention.stop(), this.times.settled()]);
  }

  /** Throws ApiError `batch_not_found`, also for another key's batch (contract 4.6 rule 5). */
  private owned({ key }: Caller, id: string): Batch {
    const batch = BATCH_ID.test(id) ? this.buffer.get(id) : undefined;
    if (batch === undefined || batch.deleted || batch.key !== key.id) throw batchNotFound();
    return batch;
  }

  private listed(caller: Caller, id: string): Batch {
    try {
      return this.owned(caller, id);
    } catch {
      throw unknownAfter();
    }
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
