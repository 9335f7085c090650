import type { Access, Caller } from '../access/index.js';
import { ApiError, type ContentEncoding, LIMITS } from '../api/index.js';
import { type Clock, randomLetters, ShareCounts, type Shares } from '../base/index.js';
import { type DataKey, placeOf, type RawWrite, type Sealer, type Store, seal } from '../store/index.js';
import type { BatchReports, FileThread, LineEngines, Webhooks } from './dependencies.js';
import { freeBlock } from './ingest/blocks.js';
import type { IngestResult } from './ingest/ingest.js';
import type { Batch } from './lifecycle/transitions.js';
import { WINDOW_MS } from './runner/deadline.js';
import { OpenBatch } from './runner/open-batch.js';
import type { Runner } from './runner/runner.js';
import { SealedBatch } from './sealed-batch.js';
import { type BatchStorage, entryBytes } from './storage.js';
import type { Submissions } from './submissions.js';

/** Contract 7.1 `too_many_batches`. */
const TOO_MANY_RETRY_SECONDS = 300;
const UNAVAILABLE_RETRY_SECONDS = 30;
const MODELS_CHANGED_RETRY_SECONDS = 1;
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
}

interface Parts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly access: Pick<Access, 'holder'>;
  readonly clock: Clock;
  readonly runner: Runner;
  readonly submissions: Submissions;
  readonly storage: BatchStorage;
  readonly files: FileThread;
  readonly engines: Pick<LineEngines, 'priceOf' | 'mayUse'>;
  readonly webhooks: Pick<Webhooks, 'check'>;
  readonly reports: Pick<BatchReports, 'error'>;
}

/** A submission's idempotency key, and the SHA-256 of its decompressed file. */
interface Idempotency {
  readonly idempotencyKey: string;
  readonly body: string;
}

/** Checks and stores submitted files: a whole file, or nothing of it. */
export class Submitter {
  private readonly lookups = new ShareCounts(LOOKUP_SHARES);
  /** By key: submissions that are being written. */
  private readonly writing = new Map<string, number>();
  private readonly beingStored = new Set<Batch>();
  private readonly numbers = new Map<string, number>();
  /** The last submission in progress under each idempotency key: the next one waits for it. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  /** The models and builds that batches name whose transaction is not written yet. */
  get modelsBeingStored(): string[] {
    return [...this.beingStored].flatMap(({ models }) => models);
  }

  /**
   * Checks and stores a file. Resolves when the batch is on the disk; with the id of an earlier batch if the same
   * submission was made before.
   *
   * @throws ApiError `too_many_batches`, `invalid_webhook_url`, `batch_unavailable`, or an error of the file
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
    const { file, encoding } = submission;
    const result = await this.parts.files.digest({ file, encoding }, caller);
    if (!result.ok) throw new ApiError(result.type, result.message);
    const body = result.digest;
    const made = this.parts.submissions.find(caller.key.id, idempotencyKey, body);
    return made ?? this.takeIn(caller, submission, { idempotencyKey, body });
  }

  private async takeIn(
    caller: Caller,
    { file, encoding, webhook }: Submission,
    idempotency: Idempotency | null,
  ): Promise<Batch> {
    this.checkOpen(caller.key.id);
    this.parts.storage.requireRoom(caller.workspace.id);
    if (webhook !== null) await this.checkWebhook(caller, webhook);
    const id = `batch_${randomLetters(24)}`;
    const dataKey = this.parts.sealer.newDataKey(id);
    const allowedModels = caller.workspace.models;
    const task = { file, encoding, allowedModels, batch: id, dataKey: dataKey.key };
    const result = await this.parts.files.ingest(task, caller);
    if (!result.ok) throw new ApiError(result.type, result.message, {}, result.details);
    try {
      return await this.keep(id, caller, dataKey, result, { webhook, idempotency });
    } finally {
      freeBlock(result.block);
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

  /** Stores the batch of a valid file and runs it. */
  private async keep(
    id: string,
    caller: Caller,
    dataKey: DataKey,
    result: Extract<IngestResult, { ok: true }>,
    { webhook, idempotency }: { readonly webhook: string | null; readonly idempotency: Idempotency | null },
  ): Promise<Batch> {
    // From here to the commit in one turn of the event loop, so that the data key is encrypted with the right master key.
    while (this.parts.sealer.changing !== null) await this.parts.sealer.changing;
    // While the file was checked, the key may have ended, a reload may have removed a model that the file names, and
    // other submissions may have been stored.
    if (this.parts.access.holder(caller.key.id)?.works !== true) {
      throw new ApiError('unauthorized', 'The key no longer works.');
    }
    if (!result.models.every(({ model }) => this.parts.engines.mayUse(model, null))) {
      throw new ApiError(
        'batch_unavailable',
        'The models changed while the file was checked. Send it again.',
        {
          retryAfterSeconds: MODELS_CHANGED_RETRY_SECONDS,
        },
      );
    }
    this.checkOpen(caller.key.id);
    const batch = this.newBatch(id, caller, result, webhook !== null);
    const writes = [dataKey.write(), ...this.batchWrites(batch, result)];
    if (webhook !== null) writes.push(this.webhookWrite(id, dataKey.key, webhook));
    if (idempotency !== null) {
      writes.push(
        this.parts.submissions.write(
          batch.key,
          idempotency.idempotencyKey,
          idempotency.body,
          id,
          batch.created,
        ),
      );
    }
    const releaseRoom = this.parts.storage.take(batch.workspace, writes);
    const releaseSlot = this.takeSlot(batch.key);
    this.beingStored.add(batch);
    try {
      await this.commit(writes);
      this.parts.storage.note(batch);
      const open = new OpenBatch(
        batch,
        SealedBatch.open(this.parts.store, this.parts.sealer, batch) as SealedBatch,
      );
      open.deadline.begin(this.parts.clock);
      this.parts.runner.add(open);
    } finally {
      this.beingStored.delete(batch);
      releaseSlot();
      releaseRoom();
    }
    return batch;
  }

  private checkOpen(key: string): void {
    if (this.parts.runner.openOf(key).length + (this.writing.get(key) ?? 0) < LIMITS.batchesOpen) return;
    throw new ApiError(
      'too_many_batches',
      `The key already has ${LIMITS.batchesOpen} batches that are queued or running.`,
      { retryAfterSeconds: TOO_MANY_RETRY_SECONDS },
    );
  }

  private newBatch(
    id: string,
    { key, workspace }: Caller,
    { lines, chunks, models }: Extract<IngestResult, { ok: true }>,
    webhook: boolean,
  ): Batch {
    const created = this.parts.clock.now();
    const priced = models.map(({ model, tokens }) => ({
      tokens: BigInt(tokens),
      ...this.parts.engines.priceOf(model),
    }));
    const live = priced.reduce((sum, { tokens, live: price }) => sum + tokens * price, 0n);
    const amount = priced.reduce((sum, { tokens, batch: price }) => sum + tokens * price, 0n);
    return {
      id,
      key: key.id,
      workspace: workspace.id,
      number: this.nextNumber(key.id),
      state: 'queued',
      lines,
      chunks: chunks.length,
      done: 0,
      failed: 0,
      models: models.map(({ model }) => model),
      created,
      started: null,
      finished: null,
      expires: created + WINDOW_MS,
      collected: null,
      reason: null,
      estimate: {
        amount: amount.toString(),
        inputTokens: models.reduce((sum, { tokens }) => sum + tokens, 0),
        rate: live === 0n ? 1 : Number((amount * 10_000n) / live) / 10_000,
      },
      webhook: webhook ? { attempts: 0, due: null } : null,
      deleted: false,
      stored: {
        lines: chunks.reduce((sum, each) => sum + entryBytes(each.lines.length), 0),
        other: chunks.reduce((sum, each) => sum + entryBytes(each.ids.length), 0),
      },
    };
  }

  private batchWrites(batch: Batch, { chunks }: Extract<IngestResult, { ok: true }>): RawWrite[] {
    const { store } = this.parts;
    return [
      store.table('batches').write([batch.id], batch),
      store.table('batch_order').write([batch.key, batch.number], batch.id),
      ...chunks.flatMap(({ lines, ids }, chunk) => [
        store.table('batch_lines').write([batch.id, chunk], lines as Buffer),
        store.table('batch_ids').write([batch.id, chunk], ids as Buffer),
      ]),
    ];
  }

  private webhookWrite(id: string, dataKey: Buffer, address: string): RawWrite {
    const sealed = seal(dataKey, placeOf('batch_webhooks', id), Buffer.from(address));
    return this.parts.store.table('batch_webhooks').write([id], sealed);
  }

  /** Counts a batch that is being written as an open batch of its key, until the returned function is called. */
  private takeSlot(key: string): () => void {
    this.writing.set(key, (this.writing.get(key) ?? 0) + 1);
    return () => {
      const left = (this.writing.get(key) ?? 1) - 1;
      if (left === 0) this.writing.delete(key);
      else this.writing.set(key, left);
    };
  }

  private async commit(writes: readonly RawWrite[]): Promise<void> {
    try {
      await this.parts.store.write(writes);
    } catch (error) {
      this.parts.reports.error(error, '-');
      throw new ApiError('batch_unavailable', 'The server cannot store batches at the moment.', {
        retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
      });
    }
  }

  /** The number of a key's next batch. No number is used twice. */
  private nextNumber(key: string): number {
    const [, stored = -1] = this.parts.store.table('batch_order').lastKey(key) ?? [];
    const next = (this.numbers.get(key) ?? (stored as number)) + 1;
    this.numbers.set(key, next);
    return next;
  }
}
