import type { Access, Caller } from '../access/index.js';
import { ApiError } from '../api/index.js';
import type { LineEngines } from './batch-dependencies.js';
import type { Idempotency } from './idempotency.js';
import type { Ingested } from './ingest/ingest.js';
import type { Batch } from './lifecycle/batch-transitions.js';
import { WINDOW_MS } from './runner/deadline.js';
import { storedOf } from './stored-bytes.js';

const MODELS_CHANGED_RETRY_SECONDS = 1;

/** What a submission becomes once its file is checked. */
interface Contents {
  readonly id: string;
  readonly caller: Caller;
  readonly dataKey: Buffer;
  /** The encrypted chunks, and what was counted in the file. */
  readonly file: Ingested;
  /** The webhook address, encrypted for its place in the table `batch_webhooks`; null if there is none. */
  readonly webhook: Buffer | null;
  readonly idempotency: Idempotency | null;
}

interface Parts {
  readonly access: Pick<Access, 'holder'>;
  readonly engines: Pick<LineEngines, 'priceOf' | 'knows'>;
}

/** A checked and encrypted file that is to become a batch. */
export class Draft {
  constructor(
    readonly contents: Contents,
    private readonly parts: Parts,
  ) {}

  /**
   * Throws ApiError `unauthorized` or `batch_unavailable` if, while the file was checked, the key has ended or a reload
   * has removed a model that the file names. Call it immediately before the batch is stored.
   */
  checkCurrent(): void {
    const { access, engines } = this.parts;
    const { caller, file } = this.contents;
    if (access.holder(caller.key.id)?.works !== true) {
      throw new ApiError('unauthorized', 'The key no longer works.');
    }
    if (file.models.every(({ model }) => engines.knows(model))) return;
    throw new ApiError('batch_unavailable', 'The models changed while the file was checked. Send it again.', {
      retryAfterSeconds: MODELS_CHANGED_RETRY_SECONDS,
    });
  }

  /**
   * The batch to store, at the prices of now.
   *
   * @param number its number among the batches of its key
   * @param created the time of now, in milliseconds since 1970
   */
  batch(number: number, created: number): Batch {
    const { id, caller, file, webhook } = this.contents;
    const { lines, chunks, models } = file;
    return {
      id,
      key: caller.key.id,
      workspace: caller.workspace.id,
      number,
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
      estimate: this.estimate(),
      webhook: webhook === null ? null : { attempts: 0, due: null },
      called: undefined,
      deleted: false,
      stored: storedOf(chunks),
    };
  }

  private estimate(): Batch['estimate'] {
    const { models } = this.contents.file;
    const priced = models.map(({ model, tokens }) => ({
      tokens: BigInt(tokens),
      ...this.parts.engines.priceOf(model),
    }));
    const live = priced.reduce((sum, { tokens, live: price }) => sum + tokens * price, 0n);
    const amount = priced.reduce((sum, { tokens, batch: price }) => sum + tokens * price, 0n);
    return {
      amount: amount.toString(),
      inputTokens: models.reduce((sum, { tokens }) => sum + tokens, 0),
      rate: live === 0n ? 1 : Number((amount * 10_000n) / live) / 10_000,
    };
  }
}
