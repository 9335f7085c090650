// JSON Schemas of the batch interface's responses (contract 2.6), for documentation and tests; the client derives its
// types from them.

const TIMESTAMP = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601 with offset.',
} as const;
const TIMESTAMP_OR_NULL = { anyOf: [TIMESTAMP, { type: 'null' }] } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

const ESTIMATED_COST = {
  type: 'object',
  required: ['amount', 'currency', 'input_tokens', 'rate', 'basis'],
  properties: {
    amount: { type: 'number' },
    currency: { type: 'string' },
    input_tokens: COUNT,
    rate: { type: 'number', description: '0.5: half the live price.' },
    basis: { type: 'string', const: 'estimate' },
  },
  description: 'An estimate from the sizes of the lines.',
} as const;

const STATUS = { type: 'string', enum: ['queued', 'running', 'done', 'failed', 'cancelled'] } as const;

const WEBHOOK_DELIVERY = {
  anyOf: [
    {
      type: 'object',
      required: ['status', 'attempts', 'error'],
      properties: {
        status: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
        attempts: COUNT,
        error: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'Why the last attempt failed, such as `timeout` or `status_404`.',
        },
      },
    },
    { type: 'null' },
  ],
  description: 'What the calls of the webhook have come to; `null` without a webhook.',
} as const;

/** Contract 2.6 `submit response`. */
export const SubmitResponseSchema = {
  type: 'object',
  required: ['id', 'object', 'status', 'lines', 'estimated_cost', 'expires_at', 'data_region'],
  properties: {
    id: { type: 'string' },
    object: { type: 'string', const: 'batch' },
    status: STATUS,
    lines: COUNT,
    estimated_cost: ESTIMATED_COST,
    expires_at: TIMESTAMP,
    data_region: { type: 'string' },
  },
  description: 'The batch that was stored.',
} as const;

/** Contract 2.6. */
export const BatchSchema = {
  type: 'object',
  required: [
    'id',
    'object',
    'status',
    'lines',
    'counts',
    'models',
    'created_at',
    'started_at',
    'finished_at',
    'expires_at',
    'reason',
    'results_available',
    'webhook',
    'webhook_delivery',
    'estimated_cost',
    'data_region',
    'delete_after',
  ],
  properties: {
    id: { type: 'string' },
    object: { type: 'string', const: 'batch' },
    status: STATUS,
    lines: COUNT,
    counts: {
      type: 'object',
      required: ['done', 'failed', 'pending'],
      properties: { done: COUNT, failed: COUNT, pending: COUNT },
    },
    models: { type: 'array', items: { type: 'string' } },
    created_at: TIMESTAMP,
    started_at: TIMESTAMP_OR_NULL,
    finished_at: TIMESTAMP_OR_NULL,
    expires_at: TIMESTAMP,
    reason: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    results_available: { type: 'boolean' },
    webhook: { type: 'boolean' },
    webhook_delivery: WEBHOOK_DELIVERY,
    estimated_cost: ESTIMATED_COST,
    data_region: { type: 'string' },
    delete_after: TIMESTAMP_OR_NULL,
  },
  description: 'A batch.',
} as const;

/** Contract 2.6 `list response`; `has_more` comes with a `limit` (contract 4.6 rule 9). */
export const BatchListSchema = {
  type: 'object',
  required: ['object', 'data'],
  properties: {
    object: { type: 'string', const: 'list' },
    data: { type: 'array', items: BatchSchema },
    has_more: { type: 'boolean', description: 'Only with `limit`: whether more batches follow.' },
  },
  description: 'The batches of the key.',
} as const;
