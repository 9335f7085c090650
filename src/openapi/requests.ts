import { IMAGE_BUDGETS, LIMITS } from '../api/index.js';

/**
 * JSON Schemas of a decide request (contract 2.1 to contract 2.3), for documentation and tests. A schema describes a
 * parsed value: repeated names, which parsing merges, and unique labels are checked only in `decide/request`.
 */

/** Contract 2.1 `state`: any JSON value but `null`. */
const STATE = {
  not: { type: 'null' },
  description: 'The situation. JSON is passed to the model as indented JSON.',
} as const;

/** Contract 2.2: the text of one option. */
const DESCRIPTION = {
  anyOf: [{ type: 'string' }, { type: 'null' }],
  description: 'What the option means; with `null` the model sees its name.',
} as const;

/** Values that System One clients may send in place of a string, on `/v1/systemone` only. */
const STRUCTURED = {
  anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'object' }, { type: 'array' }],
  description: 'A string, or an object or array, which reaches the model as indented JSON.',
} as const;

type Text = typeof DESCRIPTION | typeof STRUCTURED;

/** `noul` criteria: the two sides under either pair of names, both if `required`. */
function noulCriteria(text: Text, required: boolean) {
  const sides = (yes: string, no: string) => ({
    type: 'object',
    ...(required && { required: [yes, no] }),
    properties: { [yes]: text, [no]: text },
    additionalProperties: false,
  });
  return {
    anyOf: [{ type: 'null' }, sides('true', 'false'), sides('yes', 'no')],
    description: 'What yes and no mean, or left out.',
  };
}

const LABEL = { type: 'string', minLength: 1 } as const;

const choiceCriteria = (text: Text) => ({
  anyOf: [
    {
      type: 'object',
      additionalProperties: text,
      propertyNames: LABEL,
      minProperties: 1,
      maxProperties: LIMITS.optionsPerQuestion,
    },
    { type: 'array', items: LABEL, minItems: 1, maxItems: LIMITS.optionsPerQuestion },
  ],
  description: 'The labels: label to description, or a list of labels. Each label once.',
});

const scoreCriteria = (text: Text) => ({
  type: 'array',
  items: text,
  minItems: LIMITS.scoreLevelsMin,
  maxItems: LIMITS.optionsPerQuestion,
  description: 'The levels, lowest first.',
});

/**
 * Contract 2.1 `questions`.
 *
 * @param text of instructions and descriptions
 * @param bothSides whether `noul` criteria must describe both
 */
function questionsOf(text: Text, bothSides: boolean) {
  const instructions = {
    ...text,
    description: 'The question in plain language; `null` means no instructions.',
  };
  const noul = {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string', const: 'noul' },
      instructions,
      criteria: noulCriteria(text, bothSides),
    },
    description: 'A yes/no question, answered by the probability of yes.',
  };
  const withCriteria = (type: string, criteria: object, description: string) => ({
    type: 'object',
    required: ['type', 'criteria'],
    properties: { type: { type: 'string', const: type }, instructions, criteria },
    description,
  });
  return {
    type: 'object',
    additionalProperties: {
      anyOf: [
        noul,
        withCriteria('choice', choiceCriteria(text), 'Pick one label of a set.'),
        withCriteria('score', scoreCriteria(text), 'Pick a level of an ordered scale.'),
      ],
    },
    minProperties: 1,
    maxProperties: LIMITS.questions,
    description: 'The questions by name; answers come back under the same names.',
  };
}

const assetFields = {
  type: { type: 'string', const: 'image' },
  format: { description: '`png`, `jpg` or `jpeg`; the bytes must truly be in that format.' },
} as const;

/** Contract 2.3: one image. Its bytes are checked separately. */
const ASSET = {
  anyOf: [
    {
      type: 'object',
      required: ['data_base64'],
      properties: {
        ...assetFields,
        data_base64: { type: 'string', description: 'The file in standard base64.' },
        part: { type: 'null' },
      },
    },
    {
      type: 'object',
      required: ['part'],
      properties: {
        ...assetFields,
        part: { type: 'string', description: 'The part of a multipart body that holds the file.' },
        data_base64: { type: 'null' },
      },
    },
  ],
} as const;

/** The fields of a decide request that both of its schemas describe alike. */
const SHARED_FIELDS = {
  model: {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description: 'An id of the model list; `null` or absent is the default model.',
  },
  image_budget: {
    anyOf: IMAGE_BUDGETS.map((budget) => ({ type: 'number', const: budget })),
    description: 'Maximum input tokens per image; 280 if absent.',
  },
  assets: {
    type: 'object',
    additionalProperties: ASSET,
    propertyNames: { type: 'string', minLength: 1 },
    maxProperties: LIMITS.assets,
    description: 'Images by reference.',
  },
} as const;

/** Contract 2.1 `questions`, as `/v1/decide` and tasks have them. */
export const QUESTIONS = questionsOf(DESCRIPTION, true);

/** Contract 2.1: the body of a decide request. Other fields are ignored. */
export const DecideBody = {
  type: 'object',
  required: ['state', 'questions'],
  properties: { ...SHARED_FIELDS, state: STATE, questions: QUESTIONS },
  description: 'One state and 1 to 16 questions about it.',
} as const;

/** Contract 4.11: the body of a request about a task. Other fields are ignored, but `questions` and `model` are refused. */
export const TaskDecideBody = {
  type: 'object',
  required: ['state'],
  properties: {
    state: STATE,
    image_budget: SHARED_FIELDS.image_budget,
    assets: SHARED_FIELDS.assets,
  },
  description: 'One state for the questions of a task.',
} as const;

/** Contract 4.2: the body of `/v1/systemone`, which accepts more than `DecideBody`, as System One clients need it. */
export const SystemoneBody = {
  type: 'object',
  required: ['state', 'questions'],
  properties: {
    ...SHARED_FIELDS,
    state: { description: 'The situation, `null` included.' },
    questions: questionsOf(STRUCTURED, false),
  },
  description: 'One state and 1 to 16 questions about it, as System One clients send them.',
} as const;
