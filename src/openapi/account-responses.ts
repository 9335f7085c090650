import { LIMITS } from '../api/index.js';

// JSON Schemas of the limits and the usage of a key (contract 2.11, contract 2.12).

const LIMITS_MODEL = {
  type: 'object',
  required: ['id', 'default', 'reads_images', 'max_options', 'context_tokens', 'domain', 'prices'],
  properties: {
    id: { type: 'string' },
    default: { type: 'boolean', description: 'Whether it answers requests that name no model.' },
    reads_images: { type: 'boolean' },
    max_options: {
      type: ['integer', 'null'],
      minimum: LIMITS.optionsPerQuestion,
      description: 'What the model can tell apart; null: it is not loaded.',
    },
    context_tokens: {
      type: ['integer', 'null'],
      description: 'What the state and a question may have together; null while the model is not loaded.',
    },
    domain: {
      type: ['string', 'null'],
      description: 'What the model was trained for, if that is narrow; null: for anything.',
    },
    prices: {
      type: 'object',
      required: ['live', 'batch'],
      properties: { live: { type: 'number', minimum: 0 }, batch: { type: 'number', minimum: 0 } },
      description: 'Per million input tokens.',
    },
  },
} as const;

const MAXIMUM = { type: 'integer', minimum: 1 } as const;
const SERVER_LIMITS = {
  type: 'object',
  required: [
    'body_bytes',
    'questions',
    'options',
    'decision_questions',
    'decision_choices',
    'decision_levels',
    'option_rotations',
    'prompts',
    'state_characters',
    'images',
    'image_bytes',
    'batch_lines',
    'batches_open',
  ],
  properties: {
    body_bytes: { ...MAXIMUM, description: 'Of a request.' },
    questions: { ...MAXIMUM, description: 'Of a request.' },
    options: { ...MAXIMUM, description: 'Of a question.' },
    decision_questions: { ...MAXIMUM, description: 'Of a request to `/v1/decisions`.' },
    decision_choices: {
      ...MAXIMUM,
      description: 'Of a question there; the model may be able to answer fewer.',
    },
    decision_levels: { ...MAXIMUM, description: 'Of a question there.' },
    option_rotations: { ...MAXIMUM, description: 'Orders in which a choice is asked.' },
    prompts: { ...MAXIMUM, description: 'Of a request with option rotations.' },
    state_characters: { ...MAXIMUM, description: 'That a model reads of a state.' },
    images: { ...MAXIMUM, description: 'Of a request.' },
    image_bytes: { ...MAXIMUM, description: 'Of an image.' },
    batch_lines: { ...MAXIMUM, description: 'Of a batch.' },
    batches_open: { ...MAXIMUM, description: 'Of the key at a time.' },
  },
  description: 'Limits of the server, the same for every key.',
} as const;

/** Contract 2.11. */
export const LimitsSchema = {
  type: 'object',
  required: ['object', 'key', 'currency', 'credit', 'month', 'per_minute', 'server', 'models'],
  properties: {
    object: { type: 'string', const: 'limits' },
    key: {
      type: 'object',
      required: ['id', 'name', 'expires'],
      properties: {
        id: { type: 'string' },
        name: { type: ['string', 'null'], description: 'That the operator gave it; null: none.' },
        expires: { type: 'string', description: 'The last day of the key, ISO 8601, or `never`.' },
      },
    },
    currency: { type: 'string', description: 'The code of the currency of all amounts.' },
    credit: { type: 'number', description: 'What is left of the credit of the workspace.' },
    month: {
      type: 'object',
      required: ['charged', 'budget'],
      properties: {
        charged: { type: 'number', description: 'What the workspace was charged in this UTC month.' },
        budget: {
          type: ['number', 'null'],
          description: 'The most it may be charged in a UTC month; null: no limit.',
        },
      },
    },
    per_minute: {
      type: 'object',
      required: ['requests', 'bytes'],
      properties: {
        requests: { type: 'integer', minimum: 1 },
        bytes: { type: 'integer', minimum: 1, description: 'Bytes of request bodies.' },
      },
    },
    server: SERVER_LIMITS,
    models: {
      type: 'array',
      items: LIMITS_MODEL,
      description:
        'The models that the key may use here, and the builds that its workspace names, except the newest of a model.',
    },
  },
  description: 'Credit, limits and prices of the key.',
} as const;

const COUNTS = {
  requests: { type: 'integer', minimum: 0, description: 'Answered requests and batch lines.' },
  input_tokens: { type: 'integer', minimum: 0 },
  amount: { type: 'number', minimum: 0 },
} as const;

/** Contract 2.12. */
export const UsageSchema = {
  type: 'object',
  required: ['object', 'key', 'currency', 'from', 'to', 'data', 'total'],
  properties: {
    object: { type: 'string', const: 'usage' },
    key: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    currency: { type: 'string', description: 'The code of the currency of all amounts.' },
    from: { type: 'string', format: 'date', description: 'The first UTC day.' },
    to: { type: 'string', format: 'date', description: 'The last UTC day, today.' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['day', 'model', 'kind', 'requests', 'input_tokens', 'amount'],
        properties: {
          day: { type: 'string', format: 'date' },
          model: { type: 'string' },
          kind: { type: 'string', enum: ['live', 'batch'] },
          ...COUNTS,
        },
      },
      description: 'By day, model and kind, in this order. Days without charges are left out.',
    },
    total: {
      type: 'object',
      required: ['requests', 'input_tokens', 'amount'],
      properties: COUNTS,
      description: 'The sums of `data`.',
    },
  },
  description: 'What the key was charged.',
} as const;

/** The parameter of the usage of a key. */
export const DAYS_PARAMETER = {
  name: 'days',
  in: 'query',
  schema: { type: 'integer', minimum: 1, maximum: LIMITS.usageDays, default: LIMITS.usageDaysDefault },
  description: 'The number of UTC days, today included.',
};
