// The JSON Schemas of what the answers to a task say since its fit (contract 2.16), for documentation and tests; the clients
// derive their types from them.

const COUNT = { type: 'integer', minimum: 0 } as const;
const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
const SHARES = { type: 'array', items: SHARE } as const;
const NUMBER_OR_NULL = { anyOf: [{ type: 'number' }, { type: 'null' }] } as const;

const SHIFT = {
  type: 'object',
  required: ['stability_index', 'unchanged', 'labelled', 'window'],
  properties: {
    stability_index: {
      ...NUMBER_OR_NULL,
      description: 'The population stability index; `null` without answers.',
    },
    unchanged: { ...NUMBER_OR_NULL, description: 'About its mean if nothing has changed.' },
    labelled: { ...SHARES, description: 'Shares of the labelled answers of the fit.' },
    window: { ...SHARES, description: 'Shares of the last answers.' },
  },
} as const;

const ALARM = {
  type: 'object',
  required: ['after_answers', 'compared_with', 'share_before', 'share_now'],
  properties: {
    after_answers: { ...COUNT, description: 'The answers since the fit when it was raised.' },
    compared_with: {
      type: 'string',
      enum: ['labelled', 'earlier'],
      description: 'The labelled answers of the fit, or all answers before the last ones.',
    },
    chosen: { type: 'string', description: 'The option that is chosen more or less often.' },
    confidence_below: { type: 'number', description: 'The confidence is below this more or less often.' },
    share_before: SHARE,
    share_now: SHARE,
  },
  description: 'What has changed; either `chosen` or `confidence_below`.',
} as const;

const ERRORS = {
  type: 'object',
  required: ['labels', 'wrong', 'evidence', 'alarm_at', 'after_labels'],
  properties: {
    labels: { ...COUNT, description: 'Accepted answers that were labelled since the fit.' },
    wrong: { ...COUNT, description: 'Those of them that are wrong.' },
    evidence: { type: 'number', minimum: 0, description: 'That the error is above the target.' },
    alarm_at: { type: 'number', description: 'The evidence at which the alarm is raised.' },
    after_labels: {
      anyOf: [COUNT, { type: 'null' }],
      description: 'The labels when the alarm was raised; `null`: it is not.',
    },
  },
  description: 'The test of the promise.',
} as const;

const QUESTION = {
  type: 'object',
  required: ['answers', 'window', 'chosen', 'confidence', 'alarm', 'errors'],
  properties: {
    answers: { ...COUNT, description: 'Answers since the fit.' },
    window: { ...COUNT, description: 'The last of them, which are compared.' },
    chosen: { ...SHIFT, description: 'How often each option is chosen, in their order.' },
    confidence: { ...SHIFT, description: 'How often the confidence is in each class, lowest first.' },
    alarm: { anyOf: [ALARM, { type: 'null' }], description: '`null`: nothing has changed significantly.' },
    errors: { anyOf: [ERRORS, { type: 'null' }], description: '`null`: the question has no threshold.' },
  },
} as const;

/** By the name of a question. */
export const TaskDriftSchema = {
  type: 'object',
  additionalProperties: {
    anyOf: [QUESTION, { type: 'null' }],
    description: '`null`: the question had too few labels.',
  },
  description: 'What the answers say since the fit, by question.',
} as const;

export const TaskWarningsSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['type', 'question', 'message'],
    properties: {
      type: { type: 'string', enum: ['drift', 'error_above_target', 'fit_outdated'] },
      question: { type: 'string' },
      message: { type: 'string', description: 'For people; it may change.' },
    },
  },
  description:
    'The alarms that are raised, and thresholds that are not in force any more, until the next fit.',
} as const;
