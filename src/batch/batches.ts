import type { Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import { nextTurn } from '../base/index.js';
import type { Sealer, Store } from '../store/index.js';
import { batchObject, submitObject } from './batch-object.js';
import { type CallbackDependencies, Callbacks } from './callbacks.js';
import { apply } from './lifecycle/apply.js';
import { type Batch, isFinished } from './lifecycle/transitions.js';
import { listPieces } from './list-pieces.js';
import { FIRST_RESULT, PIECE_BYTES, type ResultsAnswer } from './reading/read-results.js';
import { type ReadCall, Reader } from './reading/reader.js';
import { Retention } from './retention.js';
import { OpenBatch } from './runner/open-batch.js';
import { Runner, type RunnerDependencies } from './runner/runner.js';
import { SealedBatch } from './sealed-batch.js';
import { StoredTimes } from './stored-times.js';
import { Submissions } from './submissions.js';
import { type Submission, type SubmitDependencies, Submitter } from './submit.js';
import { WriteBuffer } from './write-buffer.js';

/** Nothing else can be a key of the store, which takes no text of any length. */
const BATCH_ID = /^batch_[A-Za-z0-9]{24}$/;
/** Contract 3 `deletion`: it runs every ten minutes. */
const RETENTION_MS = 10 * 60 * 1_000;
export type BatchDependencies = Omit<RunnerDependencies, 'onFinished' | 'readLines'> &
  Omit<SubmitDependencies, 'access' | 'onError'> &
  Omit<CallbackDependencies, 'onError'> & {
    readonly access: ConstructorParameters<typeof WriteBuffer>[1] & RunnerDependencies['access'];
    /** Does `readStored` on a thread of its own. */
    read(call: ReadCall): Promise<unknown>;
  };

/** Which batches are to be listed. */
export interface Page {
  /** Most that are; null: all. */
  readonly limit: number | null;
  /** The id of the batch behind which they stand; null: from the oldest on. */
  readonly after: string | null;
}

/** The results of a batch, on their way to a caller. */
export interface ResultStream {
  /** JSON Lines. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Call it when the last byte was handed over: the first time, the seven days begin. */
  collected(): void;
}

/** The batch interface (contract 4.6), for callers whose key was accepted. */
export class Batches {
  private readonly buffer: WriteBuffer;
  private readonly runner: Runner;
  private readonly submitter: Submitter;
  private readonly callbacks: Callbacks;
  private readonly submissions: Submissions;
  private readonly retention: Retention;
  private readonly times: StoredTimes;
  private readonly reader: Reader;
  private cancelRetention = () => {};
  private readonly leaving = new AbortController();
  private retaining: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly currency: string,
    private readonly deps: BatchDependencies,
  ) {
    const onError = (error: unknown) => deps.onError(error, '-');
    this.buffer = new WriteBuffer(store, deps.access);
    this.times = new StoredTimes(store, this.buffer, deps.clock.now());
    this.submissions = new Submissions(store, deps.clock, this.times);
    const { submissions } = this;
    this.reader = new Reader((call) => deps.read(call));
    this.callbacks = new Callbacks(store, sealer, this.buffer, deps);
    this.runner = new Runner(store, this.buffer, {
      ...deps,
      readLines: (task) => this.reader.chunk(task),
      onFinished: (batch) => {
        this.times.stamped(batch.id, 'finished');
        this.callbacks.add(batch);
      },
    });
    this.submitter = new Submitter(store, sealer, this.runner, submissions, { ...deps, onError });
    this.retention = new Retention(store, this.buffer, submissions, this.times, deps.clock);
  }

  /** Goes on with what was open, uncalled or undeleted when the last process ended. Rejects with StoreError. */
  async start(): Promise<void> {
    const open: Batch[] = [];
    for await (const { value: batch } of this.store.table('batches').entriesInTurns()) {
      if (batch.deleted) continue;
      if (isFinished(batch)) this.callbacks.add(batch);
      else open.push(batch);
    }
    for (const batch of open.sort((a, b) => a.created - b.created)) {
      await this.resume(batch);
      await nextTurn();
    }
    this.retain();
  }

  /** The object of contract 2.6 that a submission is answered with. Rejects with ApiError. */
  async submit(caller: Caller, submission: Submission): Promise<object> {
    const batch = await this.submitter.submit(caller, submission);
    return submitObject(typeof batch === 'string' ? this.owned(caller, batch) : batch, this.currency);
  }

  /**
   * The list of contract 2.6 as JSON, with `has_more` where a page has a limit: text where it fits in one piece,
   * otherwise pieces of it, which are read as they are taken. Rejects with ApiError `invalid_request`.
   */
  async list(caller: Caller, { limit, after }: Page): Promise<string | AsyncIterable<Uint8Array>> {
    const { currency } = this;
    const key = caller.key.id;
    const owner = { key, workspace: caller.workspace.id };
    const read = (from: number, count: number | null) =>
      this.reader.read(owner, 'list', { key, from, count, newer: this.buffer.newer(key), currency });
    const start = after === null ? 0 : this.listed(caller, after).number + 1;
    return listPieces(await read(start, limit), limit, read);
  }

  /** Throws ApiError `batch_not_found`. */
  show(caller: Caller, id: string): object {
    return batchObject(this.owned(caller, id), this.currency);
  }

  /** Resolves when the cancel is on the disk. Rejects with ApiError `batch_not_found`, `batch_finished`. */
  async cancel(caller: Caller, id: string): Promise<object> {
    const batch = this.owned(caller, id);
    const open = this.runner.find(id);
    if (open === undefined) apply(batch, 'cancel', this.deps.clock.now());
    else this.runner.cancel(open);
    await this.written();
    return this.show(caller, id);
  }

  /** Rejects with ApiError `batch_not_found`, `batch_not_finished`. */
  async results(caller: Caller, id: string): Promise<ResultStream> {
    if (!isFinished(this.owned(caller, id))) {
      throw new ApiError('batch_not_finished', 'The batch has not finished.', { final: true });
    }
    await this.written();
    const batch = this.owned(caller, id);
    const sealed = SealedBatch.open(this.store, this.sealer, batch);
    if (sealed === undefined) throw notFound();
    return { pieces: this.resultPieces(batch, sealed), collected: () => this.collected(id) };
  }

  private async *resultPieces(batch: Batch, { key: { dataKey } }: SealedBatch): AsyncGenerator<Uint8Array> {
    for (let from: ResultsAnswer['next'] = FIRST_RESULT; from !== null; ) {
      const { text, next }: ResultsAnswer = await this.reader.read(batch, 'results', {
        batch,
        dataKey,
        from,
      });
      for (let at = 0; at < text.length; at += PIECE_BYTES) yield text.subarray(at, at + PIECE_BYTES);
      from = next;
    }
  }

  get openCount(): number {
    return this.runner.openCount;
  }

  /** Call it when the clock's calendar has jumped by so many milliseconds. See `StoredTimes.move`. */
  moveTimes(ms: number): Promise<void> {
    return this.times.move(ms);
  }

  /**
   * Gives up the lines in progress, at once; the next process runs them again. Resolves when the calls of webhooks under
   * way have ended, and nothing is written any more but what the next flush takes.
   */
  async stop(): Promise<void> {
    this.leaving.abort();
    this.cancelRetention();
    this.runner.stop();
    await Promise.all([this.callbacks.stop(), this.retaining, this.times.settled()]);
  }

  /** One batch that is damaged does not keep the server from starting: none of its lines runs any more. */
  private async resume(batch: Batch): Promise<void> {
    const open = new OpenBatch(batch, this.sealedOf(batch));
    for await (const [, line] of this.store.table('batch_results').keysInTurns(batch.id)) {
      open.resolve(line as number);
    }
    this.runner.add(open);
  }

  /** The operator is told of one whose data key is damaged. */
  private sealedOf(batch: Batch): SealedBatch | null {
    try {
      const sealed = SealedBatch.open(this.store, this.sealer, batch);
      if (sealed === undefined) throw new Error('the batch has no data key');
      return sealed;
    } catch (error) {
      this.deps.onError(error, batch.id);
      return null;
    }
  }

  /** Throws ApiError `batch_not_found` also where it is another key's (contract 4.6 rule 5). */
  private owned({ key }: Caller, id: string): Batch {
    const batch = BATCH_ID.test(id) ? this.buffer.get(id) : undefined;
    if (batch === undefined || batch.deleted || batch.key !== key.id) throw notFound();
    return batch;
  }

  private listed(caller: Caller, id: string): Batch {
    try {
      return this.owned(caller, id);
    } catch {
      throw new ApiError('invalid_request', '`after` must be the id of a batch of this key.');
    }
  }

  private collected(id: string): void {
    // First, since the calendar may jump with it.
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

  private retain(): void {
    const { signal } = this.leaving;
    this.retaining = this.retention
      .run(signal)
      .catch((error) => this.deps.onError(error, '-'))
      .then(() => {
        if (signal.aborted) return;
        this.cancelRetention = this.deps.clock.after(RETENTION_MS, () => this.retain());
      });
  }
}

const notFound = () => new ApiError('batch_not_found', 'The key has no such batch.');
