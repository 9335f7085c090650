// JSON Schemas of the shadow build of a task (contract 2.15), for documentation and tests; the clients derive their types from
// them.

const COUNT = { type: 'integer', minimum: 0 } as const;
const VERSION = { anyOf: [{ type: 'integer' }, { type: 'null' }] } as const;
const SHARE = { type: 'number', exclusiveMinimum: 0, maximum: 1 } as const;
const BUILD = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

const estimate = (minimum: number, description: string) =>
  ({
    anyOf: [
      {
        type: 'object',
        required: ['value', 'ci'],
        properties: {
          value: { type: 'number', minimum, maximum: 1 },
          ci: {
            type: 'array',
            items: { type: 'number' },
            minItems: 2,
            maxItems: 2,
            description: 'The bounds of a 95 % interval.',
          },
        },
      },
      { type: 'null' },
    ],
    description,
  }) as const;

const difference = (description: string) =>
  ({ anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { type: 'null' }], description }) as const;

/** `shadow` of the body of a PUT. */
export const ShadowField = {
  anyOf: [
    {
      type: 'object',
      required: ['model', 'share'],
      properties: {
        model: { type: 'string', description: 'An id of the model list, or a build.' },
        share: { ...SHARE, description: 'The share of the requests that are also run on it.' },
      },
    },
    { type: 'null' },
  ],
  description: 'A second build that is compared with the one that answers; `null` or absent: none.',
} as const;

const COMPARISON = {
  type: 'object',
  required: [
    'answers',
    'agreement',
    'mean_difference',
    'largest_difference',
    'accept_changed',
    'newly_accepted',
    'no_longer_accepted',
    'labels',
    'live_accuracy',
    'shadow_accuracy',
    'accuracy_difference',
  ],
  properties: {
    answers: { ...COUNT, description: 'Requests that both builds have answered.' },
    agreement: estimate(0, 'The share of answers with the same option.'),
    mean_difference: difference('Of the probabilities, over all options.'),
    largest_difference: difference('The largest one of a probability.'),
    accept_changed: estimate(
      0,
      'The share of answers whose `accept` would change; `null` without a threshold.',
    ),
    newly_accepted: COUNT,
    no_longer_accepted: COUNT,
    labels: { ...COUNT, description: 'Labels of answers that both builds have given.' },
    live_accuracy: estimate(0, 'The share of right answers of the build that answers.'),
    shadow_accuracy: estimate(0, 'The share of right answers of the shadow build.'),
    accuracy_difference: estimate(-1, 'Shadow minus live, with the interval of paired answers.'),
  },
} as const;

/** The shadow of a task. */
export const ShadowSchema = {
  type: 'object',
  required: ['model', 'share', 'builds', 'since', 'questions'],
  properties: {
    model: { type: 'string' },
    share: SHARE,
    builds: {
      type: 'object',
      required: ['live', 'shadow'],
      properties: { live: BUILD, shadow: BUILD },
      description: 'The builds that are compared; `null`: the server does not serve it.',
    },
    since: {
      anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
      description: 'When counting began; `null`: nothing is counted yet.',
    },
    questions: { type: 'object', additionalProperties: COMPARISON, description: 'By name.' },
  },
  description: 'How the answers of the shadow build compare with those that were sent.',
} as const;

/** The body of a promotion. */
export const PromotionBody = {
  type: 'object',
  properties: {
    version: { ...VERSION, description: 'The version that must be in use; `null` or absent: any.' },
    model: { ...BUILD, description: 'The build that must be the shadow build; `null` or absent: any.' },
  },
  description: 'What the caller has seen of the task.',
} as const;
