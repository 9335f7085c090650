// The JSON Schema of a fit of a task (contract 2.14), for documentation and tests; the clients derive their types from it.

const COUNT = { type: 'integer', minimum: 0 } as const;
const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
const INTERVAL = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'The bounds of a 95 % interval.',
} as const;
const ESTIMATE = {
  type: 'object',
  required: ['value', 'ci'],
  properties: { value: SHARE, ci: INTERVAL },
} as const;

const THRESHOLD = {
  type: 'object',
  required: ['threshold', 'accepted', 'wrong', 'error_max', 'coverage', 'error'],
  properties: {
    threshold: { ...SHARE, description: 'The smallest confidence of an accepted answer.' },
    accepted: { ...COUNT, description: 'Of the labels that tested it, those that it accepts.' },
    wrong: { ...COUNT, description: 'Those of them that are wrong.' },
    error_max: { ...SHARE, description: 'The upper confidence bound of the error; at most the target.' },
    coverage: ESTIMATE,
    error: ESTIMATE,
  },
} as const;

// The bounds of `statistics/metrics/calibration.ts`, which the tests of the contract compare.
const RELIABILITY_BINS_MAX = 10;
const COVERAGE_POINTS_MAX = 50;

const RELIABILITY = {
  type: 'array',
  maxItems: RELIABILITY_BINS_MAX,
  items: {
    type: 'object',
    required: ['n', 'from', 'to', 'confidence', 'accuracy'],
    properties: { n: COUNT, from: SHARE, to: SHARE, confidence: SHARE, accuracy: SHARE },
  },
  description:
    'Parts of the labels, lowest confidence first: how many they are, their smallest, largest and mean confidence, and the share that is correct.',
} as const;

const COVERAGE = {
  type: 'array',
  maxItems: COVERAGE_POINTS_MAX,
  items: {
    type: 'object',
    required: ['threshold', 'n', 'coverage', 'error'],
    properties: { threshold: SHARE, n: COUNT, coverage: SHARE, error: SHARE },
  },
  description:
    'For thresholds, highest first: how many labels each accepts, as a number and as a share, and the share of them that is wrong.',
} as const;

const QUALITY = {
  type: 'object',
  required: ['n', 'accuracy', 'brier', 'log_loss', 'ece', 'ci', 'reliability', 'coverage'],
  properties: {
    n: COUNT,
    accuracy: SHARE,
    brier: { type: 'number' },
    log_loss: { type: 'number' },
    ece: SHARE,
    ci: {
      type: 'object',
      required: ['accuracy', 'brier', 'log_loss', 'ece'],
      properties: { accuracy: INTERVAL, brier: INTERVAL, log_loss: INTERVAL, ece: INTERVAL },
    },
    reliability: RELIABILITY,
    coverage: COVERAGE,
  },
  description: 'Of the labels that tested the threshold.',
} as const;

const FITTED = {
  type: 'object',
  required: ['labels', 'tested', 'temperature', 'quality', 'threshold', 'more'],
  properties: {
    labels: COUNT,
    tested: { ...COUNT, description: 'The labels that chose neither the temperature nor the candidates.' },
    temperature: {
      type: 'object',
      required: ['value'],
      properties: { value: { type: 'number', description: 'Divides the logits again; 1 changes nothing.' } },
    },
    quality: QUALITY,
    threshold: { anyOf: [THRESHOLD, { type: 'null' }], description: '`null`: none keeps the target.' },
    more: {
      type: 'array',
      items: {
        type: 'object',
        required: ['threshold', 'coverage', 'labels'],
        properties: { threshold: SHARE, coverage: SHARE, labels: COUNT },
      },
      description: 'Larger coverages, and how many labels each would probably need.',
    },
  },
} as const;

const REFUSED = {
  type: 'object',
  required: ['refused', 'labels', 'needed'],
  properties: { refused: { type: 'string', const: 'too_few_labels' }, labels: COUNT, needed: COUNT },
} as const;

/** A fit of a task. */
export const TaskFitSchema = {
  type: 'object',
  required: ['object', 'task', 'model', 'target_error', 'confidence', 'fitted_at', 'questions'],
  properties: {
    object: { type: 'string', const: 'fit' },
    task: {
      type: 'object',
      required: ['name', 'version'],
      properties: { name: { type: 'string' }, version: { type: 'integer', minimum: 1 } },
    },
    model: { type: 'string', description: 'The build whose answers are labelled.' },
    target_error: SHARE,
    confidence: SHARE,
    fitted_at: { type: 'string', format: 'date-time' },
    questions: {
      type: 'object',
      additionalProperties: { anyOf: [FITTED, REFUSED] },
      description: 'By name.',
    },
  },
  description: 'What the labels say about each question, and its threshold.',
} as const;
