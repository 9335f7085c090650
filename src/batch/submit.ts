import { type Access, type Caller, refuse } from '../access/index.js';
import { ApiError, type ContentEncoding, LIMITS } from '../api/index.js';
import { randomLetters, ShareCounts, type Shares } from '../base/index.js';
import { randomDataKey } from '../sealing/index.js';
import type { BatchTasks, FileThread, LineEngines, Webhooks } from './batch-dependencies.js';
import { Draft } from './draft.js';
import { type Idempotency, idempotencyOf } from './idempotency.js';
import { freeBlock } from './ingest/blocks.js';
import type { IngestResult, IngestTask } from './ingest/ingest.js';
import { TasksWanted } from './ingest/wanted-tasks.js';
import type { Batch } from './lifecycle/batch-transitions.js';
import { sealWebhook } from './sealed-values.js';

/** Concurrent DNS lookups of webhook addresses in submissions. A key has no use for more than its open batches. */
export const LOOKUP_SHARES = { key: LIMITS.batchesOpen, workspace: 20, all: 64 } as const satisfies Shares;

/** A batch file and the headers sent with it. */
export interface Submission {
  /** As sent. Its memory may be reused when `submit` has settled. */
  readonly file: Buffer;
  readonly encoding: ContentEncoding;
  /** `Service-Webhook-Url`. */
  readonly webhook: string | null;
  readonly idempotencyKey: string | null;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Where submitted batches are stored. */
export interface BatchStore {
  /**
   * Throws, or rejects with, ApiError `too_many_batches` or `batch_unavailable` if a batch of the caller would not be
   * accepted now. It is called before a file is read; `create` checks it again.
   */
  checkRoom(caller: Caller): void | Promise<void>;
  /**
   * The id of the batch that the key made from the same file under the same idempotency key; undefined if the
   * idempotency key is new. Throws, or rejects with, ApiError `idempotency_conflict` if it was used with another file.
   */
  find(key: string, idempotency: Idempotency): string | undefined | Promise<string | undefined>;
  /**
   * Stores the batch and starts it. Resolves when it is stored: with the batch, or with the id of an earlier batch that was
   * stored under the same idempotency key meanwhile. Calls `checkCurrent` of the draft before. Rejects with ApiError
   * `too_many_batches`, `batch_unavailable`, `unauthorized`, `idempotency_conflict`: nothing was stored; with
   * `outcome_unknown`: it may have been.
   */
  create(draft: Draft): Promise<Batch | string>;
}

interface Parts {
  readonly batches: BatchStore;
  readonly access: Pick<Access, 'holder' | 'pause'>;
  readonly files: FileThread;
  readonly tasks: Pick<BatchTasks, 'named'>;
  readonly engines: Pick<LineEngines, 'priceOf' | 'knows'>;
  readonly webhooks: Pick<Webhooks, 'check'>;
}

/** Checks submitted files and has them stored: a whole file, or nothing of it. */
export class Submitter {
  private readonly lookups = new ShareCounts(LOOKUP_SHARES);
  /** The last submission in progress under each idempotency key: the next one waits for it. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  /**
   * Checks and stores a file. Resolves when the batch is stored; with the id of an earlier batch if the same submission
   * was made before.
   *
   * @throws ApiError `out_of_credit`, `budget_exceeded`, `too_many_batches`, `invalid_webhook_url`, `batch_unavailable`, `outcome_unknown`, or an error of the file; the signal's
   *   reason if it aborts before the file is checked
   */
  async submit(caller: Caller, submission: Submission): Promise<Batch | string> {
    const { idempotencyKey } = submission;
    if (idempotencyKey === null) return this.takeIn(caller, submission, null);
    const name = `${caller.key.id} ${idempotencyKey}`;
    const before = this.underWay.get(name) ?? Promise.resolve();
    const own = before.then(() => this.submitOnce(caller, submission, idempotencyKey));
    const settled = own.catch(() => {});
    this.underWay.set(name, settled);
    try {
      return await own;
    } finally {
      if (this.underWay.get(name) === settled) this.underWay.delete(name);
    }
  }

  /** Returns the id of the batch that the same submission made before, or makes a new batch. */
  private async submitOnce(
    caller: Caller,
    submission: Submission,
    idempotencyKey: string,
  ): Promise<Batch | string> {
    const { file, encoding, signal } = submission;
    const result = await this.parts.files.digest({ file, encoding }, caller, signal);
    if (!result.ok) throw new ApiError(result.type, result.message);
    const idempotency = idempotencyOf(idempotencyKey, result.digest);
    const made = await this.parts.batches.find(caller.key.id, idempotency);
    return made ?? this.takeIn(caller, submission, idempotency);
  }

  private async takeIn(
    caller: Caller,
    { file: sent, encoding, webhook: address, signal }: Submission,
    idempotency: Idempotency | null,
  ): Promise<Batch | string> {
    const { batches } = this.parts;
    this.checkPaused(caller);
    await batches.checkRoom(caller);
    if (address !== null) await this.checkWebhook(caller, address);
    const id = `batch_${randomLetters(24)}`;
    const dataKey = randomDataKey();
    const allowedModels = caller.workspace.models;
    const owner = { key: caller.key.id, workspace: caller.workspace.id };
    const task = { file: sent, encoding, allowedModels, batch: id, dataKey, owner, stop: stopOf(signal) };
    const file = await this.ingest(task, signal);
    if (!file.ok) throw new ApiError(file.type, file.message, {}, file.details);
    try {
      signal.throwIfAborted();
      const webhook = address === null ? null : sealWebhook({ id, dataKey }, address);
      const contents = { id, caller, dataKey, file, webhook, idempotency };
      return await batches.create(new Draft(contents, this.parts));
    } finally {
      freeBlock(file.block);
    }
  }

  /** Throws ApiError `out_of_credit` or `budget_exceeded`, by the credit of now: the file took time to arrive. */
  private checkPaused({ key, workspace }: Caller): void {
    const { access } = this.parts;
    refuse(access.pause(access.holder(key.id)?.workspace ?? workspace));
  }

  /** Checks and encrypts a file. The tasks of the workspace are read only if it names some. */
  private async ingest(task: Omit<IngestTask, 'tasks'>, signal: AbortSignal): Promise<IngestResult> {
    const { files, tasks } = this.parts;
    try {
      return await files.ingest({ ...task, tasks: null }, signal);
    } catch (error) {
      if (!(error instanceof TasksWanted)) throw error;
      const named = await tasks.named(task.owner, error.names, signal);
      return files.ingest({ ...task, tasks: named }, signal);
    }
  }

  /** Takes as long as the name server of the address. */
  private async checkWebhook({ key: { id: key }, workspace: { id: workspace } }: Caller, address: string) {
    const owner = { key, workspace };
    if (this.lookups.exceededBy(owner, 1) !== null) {
      throw new ApiError('overloaded', 'Too many webhook addresses are being looked up; try again later.', {
        retryAfterSeconds: 1,
      });
    }
    this.lookups.add(owner, 1);
    try {
      await this.parts.webhooks.check(address);
    } finally {
      this.lookups.add(owner, -1);
    }
  }
}

/** Shared memory that tells other threads when a signal aborts. */
function stopOf(signal: AbortSignal): Int32Array {
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const set = () => Atomics.store(stop, 0, 1);
  if (signal.aborted) set();
  else signal.addEventListener('abort', set, { once: true });
  return stop;
}

/** Throws ApiError `invalid_request` unless the header is absent, or given once with 1 to 255 characters. */
export function checkIdempotencyKey(values: readonly string[]): string | null {
  const [value] = values;
  if (value === undefined) return null;
  if (values.length === 1 && value.length > 0 && value.length <= LIMITS.idempotencyKeyCharacters)
    return value;
  throw new ApiError(
    'invalid_request',
    `Idempotency-Key must be given once, with 1 to ${LIMITS.idempotencyKeyCharacters} characters.`,
  );
}
