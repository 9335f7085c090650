import type { Caller } from '../access/index.js';
import { ApiError, isBatchId } from '../api/index.js';
import type { Owner } from '../base/index.js';
import type { Page, ResultStream } from './batch-interface.js';
import { type BatchTerms, batchObject, submitObject } from './batch-object.js';
import { type Batch, isFinished } from './lifecycle/batch-transitions.js';
import type { ListAnswer } from './reading/list-answer.js';
import { batchNotFinished, batchNotFound, unknownAfter } from './refusals.js';
import type { Submission, Submitter } from './submit.js';

/** What callers may do with their batches (contract 4.6), on every storage: see `BatchInterface`. */
export abstract class CallerBatches {
  protected abstract readonly submitter: Pick<Submitter, 'submit'>;

  constructor(protected readonly terms: BatchTerms) {}

  /** The batch, deleted or not; undefined if there is none. */
  protected abstract find(id: string): Batch | undefined | Promise<Batch | undefined>;

  /** A part of the list of a key's batches; see `listPieces`. */
  protected abstract listPart(owner: Owner, from: number, count: number | null): Promise<ListAnswer>;

  /**
   * Cancels a batch. Resolves with the batch when that is stored; undefined if it is gone. Rejects with ApiError
   * `batch_finished`, `outcome_unknown`.
   *
   * @param actor in the audit log, which gets an entry in the same transaction if the batch changes; null: it gets none
   */
  protected abstract cancelStored(id: string, actor: string | null): Promise<Batch | undefined>;

  /** The results of a batch that has finished; undefined if it is gone. */
  protected abstract resultsOf(owner: Owner, batch: Batch): Promise<ResultStream | undefined>;

  async submit(caller: Caller, submission: Submission): Promise<object> {
    const batch = await this.submitter.submit(caller, submission);
    return submitObject(typeof batch === 'string' ? await this.owned(caller, batch) : batch, this.terms);
  }

  async list(caller: Caller, { limit, after }: Page): Promise<string | AsyncIterable<Uint8Array>> {
    const owner = ownerOf(caller);
    const read = (from: number, count: number | null) => this.listPart(owner, from, count);
    const start = after === null ? 0 : (await this.listed(caller, after)).number + 1;
    return listPieces(await read(start, limit), limit, read);
  }

  show(caller: Caller, id: string): object | Promise<object> {
    const show = (batch: Batch) => batchObject(batch, this.terms);
    const batch = this.owned(caller, id);
    return batch instanceof Promise ? batch.then(show) : show(batch);
  }

  async cancel(caller: Caller, id: string): Promise<object> {
    await this.owned(caller, id);
    return batchObject(existing(await this.cancelStored(id, null)), this.terms);
  }

  /** Cancels the batch of any key, for the operator `actor`. Rejects as `cancel` does. */
  async cancelAny(id: string, actor: string): Promise<Batch> {
    if (!isBatchId(id)) throw batchNotFound();
    existing(await this.find(id));
    return existing(await this.cancelStored(id, actor));
  }

  async results(caller: Caller, id: string): Promise<ResultStream> {
    const batch = await this.owned(caller, id);
    if (!isFinished(batch)) throw batchNotFinished();
    return existing(await this.resultsOf(ownerOf(caller), batch));
  }

  /** Throws, or rejects with, ApiError `batch_not_found`, also for another key's batch (contract 4.6 rule 5). */
  private owned({ key }: Caller, id: string): Batch | Promise<Batch> {
    if (!isBatchId(id)) throw batchNotFound();
    const own = (found: Batch | undefined) => {
      const batch = existing(found);
      if (batch.key !== key.id) throw batchNotFound();
      return batch;
    };
    const found = this.find(id);
    return found instanceof Promise ? found.then(own) : own(found);
  }

  private async listed(caller: Caller, id: string): Promise<Batch> {
    try {
      return await this.owned(caller, id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.type !== 'batch_not_found') throw error;
      throw unknownAfter();
    }
  }
}

/** Throws ApiError `batch_not_found` if there is none. */
function existing<Found extends object>(found: Found | undefined): Found {
  if (found === undefined || ('deleted' in found && found.deleted)) throw batchNotFound();
  return found;
}

const ownerOf = ({ key, workspace }: Caller): Owner => ({ key: key.id, workspace: workspace.id });

const HEAD = '{"object":"list","data":[';

/**
 * The list of contract 2.6 as JSON: a string if the first answer completes it, else pieces.
 *
 * @param read reads at most `count` batches, beginning with number `from`; `count` null: as many as fit in one piece
 */
export function listPieces(
  first: ListAnswer,
  limit: number | null,
  read: (from: number, count: number | null) => Promise<ListAnswer>,
): string | AsyncIterable<Uint8Array> {
  if (first.next === null || first.count === limit) return HEAD + first.json + endOf(limit, first.next);
  return rest(first, limit, read);
}

async function* rest(
  first: ListAnswer,
  limit: number | null,
  read: (from: number, count: number | null) => Promise<ListAnswer>,
): AsyncGenerator<Uint8Array> {
  let { json, count, next } = first;
  yield Buffer.from(HEAD + json);
  while (next !== null && count !== limit) {
    const answer = await read(next, limit === null ? null : limit - count);
    if (answer.count > 0) yield Buffer.from(`,${answer.json}`);
    count += answer.count;
    next = answer.next;
  }
  yield Buffer.from(endOf(limit, next));
}

const endOf = (limit: number | null, next: number | null) =>
  limit === null ? ']}' : `],"has_more":${next !== null}}`;
