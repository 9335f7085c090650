import type { Batch } from '../../../../batch/index.js';

/** A row of the table `batches`. */
export interface BatchRow {
  readonly id: string;
  readonly key: string;
  readonly workspace: string;
  readonly number: number;
  readonly state: Batch['state'];
  readonly lines: number;
  readonly chunks: number;
  readonly done: number;
  readonly failed: number;
  readonly models: string[];
  readonly created: number;
  readonly started: number | null;
  readonly finished: number | null;
  readonly expires: number;
  readonly collected: number | null;
  readonly reason: string | null;
  readonly estimate_amount: string;
  readonly estimate_tokens: number;
  readonly estimate_rate: number;
  readonly webhook_attempts: number | null;
  readonly webhook_due: number | null;
  readonly webhook_outcome: string | null;
  readonly stored_lines: number;
  readonly stored_other: number;
  readonly deleted: boolean;
}

/** The columns of the table `batches`, in the order of `batchValues`. */
export const BATCH_COLUMNS = [
  'id',
  'key',
  'workspace',
  'number',
  'state',
  'lines',
  'chunks',
  'done',
  'failed',
  'models',
  'created',
  'started',
  'finished',
  'expires',
  'collected',
  'reason',
  'estimate_amount',
  'estimate_tokens',
  'estimate_rate',
  'webhook_attempts',
  'webhook_due',
  'webhook_outcome',
  'stored_lines',
  'stored_other',
  'deleted',
] as const satisfies ReadonlyArray<keyof BatchRow>;

/** The columns of a batch for the list of a SELECT. `of`: the name that the statement gives the table. */
export const batchColumns = (of = 'batches'): string =>
  BATCH_COLUMNS.map((column) => `${of}.${column}`).join(', ');

/** The batch that a row holds. */
export function batchOf(row: BatchRow): Batch {
  const { id, key, workspace, number, state, lines, chunks, done, failed, models, reason, deleted } = row;
  return {
    id,
    key,
    workspace,
    number,
    state,
    lines,
    chunks,
    done,
    failed,
    models,
    created: row.created,
    started: row.started,
    finished: row.finished,
    expires: row.expires,
    collected: row.collected,
    reason,
    estimate: {
      amount: row.estimate_amount,
      inputTokens: row.estimate_tokens,
      rate: row.estimate_rate,
    },
    webhook: row.webhook_attempts === null ? null : { attempts: row.webhook_attempts, due: row.webhook_due },
    called: row.webhook_outcome === null ? undefined : { outcome: row.webhook_outcome },
    deleted,
    stored: { lines: row.stored_lines, other: row.stored_other },
  };
}

/** The values of a batch's row, in the order of BATCH_COLUMNS. */
export function batchValues(batch: Batch): unknown[] {
  const { id, key, workspace, number, state, lines, chunks, done, failed, models } = batch;
  const {
    created,
    started,
    finished,
    expires,
    collected,
    reason,
    estimate,
    webhook,
    called,
    deleted,
    stored,
  } = batch;
  return [
    ...[id, key, workspace, number, state, lines, chunks, done, failed, models],
    ...[created, started, finished, expires, collected, reason],
    ...[estimate.amount, estimate.inputTokens, estimate.rate],
    ...[webhook?.attempts ?? null, webhook?.due ?? null, called?.outcome ?? null],
    ...[stored?.lines ?? 0, stored?.other ?? 0, deleted],
  ];
}
