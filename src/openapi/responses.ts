import { ERRORS, LIMITS } from '../api/index.js';

// JSON Schemas of responses (contract 2.4, contract 2.8, contract 2.9), for documentation and tests.

const PROBABILITY = { type: 'number', minimum: 0, maximum: 1 } as const;

const byOption = <const Value extends object>(value: Value, description: string) =>
  ({ type: 'object', additionalProperties: value, minProperties: 1, description }) as const;

const raw_probabilities = byOption(
  PROBABILITY,
  'On request: the probabilities by option (of a noul, `true` and `false`), neither rounded nor committed.',
);

export const LABEL_MASS = {
  ...PROBABILITY,
  description:
    'On request: the probability that the model gave to the labels of the options together, before the softmax over them.',
} as const;

const NOUL_ANSWER = {
  type: 'object',
  required: ['type', 'noul'],
  properties: {
    type: { type: 'string', const: 'noul' },
    noul: { ...PROBABILITY, description: 'The probability of yes, at least 0.80 towards the chosen side.' },
    raw_probabilities,
    label_mass: LABEL_MASS,
  },
} as const;

const CHOICE_ANSWER = {
  type: 'object',
  required: ['type', 'choice', 'confidence', 'probabilities'],
  properties: {
    type: { type: 'string', const: 'choice' },
    choice: { type: 'string', description: 'The chosen label.' },
    confidence: PROBABILITY,
    probabilities: byOption(PROBABILITY, 'By label; they sum to 1.'),
    raw_probabilities,
    label_mass: LABEL_MASS,
  },
} as const;

const SCORE_ANSWER = {
  type: 'object',
  required: ['type', 'level', 'score', 'confidence', 'legend', 'probabilities'],
  properties: {
    type: { type: 'string', const: 'score' },
    level: {
      type: 'integer',
      minimum: 0,
      maximum: LIMITS.optionsPerQuestion - 1,
      description: 'The most probable level.',
    },
    score: { type: 'number', minimum: 0, description: 'The mean of the levels’ numbers.' },
    confidence: PROBABILITY,
    legend: byOption({ type: 'string' }, 'What each level means, by its number.'),
    probabilities: byOption(PROBABILITY, 'By level; they sum to 1.'),
    raw_probabilities,
    label_mass: LABEL_MASS,
  },
} as const;

const TASK_ACCEPT = {
  anyOf: [{ type: 'boolean' }, { type: 'null' }],
  description: 'Whether the answer passes the threshold in force; `null` without one.',
} as const;

/** An answer about a task. */
const accepted = <const Answer extends { readonly required: readonly string[]; readonly properties: object }>(
  answer: Answer,
) => ({
  ...answer,
  required: [...answer.required, 'accept'],
  properties: { ...answer.properties, accept: TASK_ACCEPT },
});

/** Contract 2.4. */
export const DecideResponseSchema = {
  type: 'object',
  required: ['model', 'answers', 'usage'],
  properties: {
    model: { type: 'string', description: 'The build that answered.' },
    answers: byOption(
      { anyOf: [NOUL_ANSWER, CHOICE_ANSWER, SCORE_ANSWER] },
      'One answer per question, under its name.',
    ),
    usage: {
      type: 'object',
      required: ['input_tokens', 'output_tokens'],
      properties: {
        input_tokens: { type: 'integer', minimum: 1 },
        output_tokens: { type: 'integer', minimum: 1 },
      },
    },
  },
  description: 'The answers.',
} as const;

/** Contract 4.11: the response about a task. */
export const TaskAnswersSchema = {
  type: 'object',
  required: ['model', 'answers', 'usage', 'task'],
  properties: {
    ...DecideResponseSchema.properties,
    answers: byOption(
      { anyOf: [accepted(NOUL_ANSWER), accepted(CHOICE_ANSWER), accepted(SCORE_ANSWER)] },
      'One answer per question, under its name.',
    ),
    task: {
      type: 'object',
      required: ['name', 'version'],
      properties: { name: { type: 'string' }, version: { type: 'integer', minimum: 1 } },
      description: 'The task, and the version that was asked.',
    },
  },
  description: 'The answers to the questions of a task.',
} as const;

/** Contract 2.8. */
export const ModelListSchema = {
  type: 'object',
  required: ['object', 'data', 'models'],
  properties: {
    object: { type: 'string', const: 'list' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'object', 'owned_by'],
        properties: {
          id: { type: 'string' },
          object: { type: 'string', const: 'model' },
          owned_by: { type: 'string' },
        },
      },
    },
    models: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'name',
          'description',
          'release_date',
          'max_options',
          'reads_images',
          'context_tokens',
          'domain',
        ],
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          release_date: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
          max_options: {
            type: ['integer', 'null'],
            minimum: LIMITS.optionsPerQuestion,
            description: 'What the model can tell apart; null: it is not loaded.',
          },
          reads_images: { type: 'boolean' },
          context_tokens: {
            type: ['integer', 'null'],
            description:
              'What the state and a question may have together; null while the model is not loaded.',
          },
          domain: {
            type: ['string', 'null'],
            description: 'What the model was trained for, if that is narrow; null: for anything.',
          },
        },
      },
    },
  },
  description: 'The models served.',
} as const;

/** Contract 4.5. */
export const HealthSchema = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
  description: 'The server answers.',
} as const;

/** Contract 2.9. */
export const ErrorSchema = {
  type: 'object',
  required: ['error', 'type'],
  properties: {
    error: { type: 'string', description: 'One sentence that names the field, the limit and the value.' },
    type: { type: 'string', enum: Object.keys(ERRORS) },
  },
  description: 'The reason of an error.',
} as const;
