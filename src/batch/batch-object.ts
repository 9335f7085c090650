import { showAmount } from '../access/index.js';
import { showWithOffset } from '../base/index.js';
import { deleteAfter } from './lifecycle/apply.js';
import { type Batch, isFinished, STATUS_OF } from './lifecycle/batch-transitions.js';

/** What the settings say about every batch. */
export interface BatchTerms {
  /** The currency of estimates, such as `GBP`. */
  readonly currency: string;
  /** `data_region` of the setting `batch.data_region`. */
  readonly dataRegion: string;
}

/** The response to a submission (contract 2.6). */
export function submitObject(batch: Batch, terms: BatchTerms): object {
  const { id, object, status, lines, estimated_cost, expires_at, data_region } = batchObject(batch, terms);
  return { id, object, status, lines, estimated_cost, expires_at, data_region };
}

/** A batch as callers see it (contract 2.6). */
export function batchObject(batch: Batch, { currency, dataRegion }: BatchTerms) {
  const { id, lines, done, failed, models, created, started, finished, expires, reason } = batch;
  return {
    id,
    object: 'batch',
    status: STATUS_OF[batch.state],
    lines,
    counts: { done, failed, pending: lines - done - failed },
    models,
    created_at: showWithOffset(created),
    started_at: started === null ? null : showWithOffset(started),
    finished_at: finished === null ? null : showWithOffset(finished),
    expires_at: showWithOffset(expires),
    reason,
    results_available: isFinished(batch),
    webhook: batch.webhook !== null,
    webhook_delivery: webhookDelivery(batch),
    estimated_cost: {
      amount: Number(showAmount(BigInt(batch.estimate.amount))),
      currency,
      input_tokens: batch.estimate.inputTokens,
      rate: batch.estimate.rate,
      basis: 'estimate',
    },
    data_region: dataRegion,
    delete_after: nullable(deleteAfter(batch)),
  };
}

/** Null: the batch has no webhook, or an earlier version made the last call, and did not store what it came to. */
function webhookDelivery({ webhook, called }: Batch) {
  if (webhook === null) return null;
  const { attempts, due } = webhook;
  const isOver = attempts > 0 && due === null;
  if (isOver && called === undefined) return null;
  const error = called === undefined || called.outcome === 'delivered' ? null : called.outcome;
  if (!isOver) return { status: 'pending', attempts, error };
  return { status: error === null ? 'delivered' : 'failed', attempts, error };
}

const nullable = (instant: number | null) => (instant === null ? null : showWithOffset(instant));
