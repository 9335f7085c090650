import { ERRORS, LIMITS } from '../api/index.js';
import { LABEL_MASS } from './responses.js';

// JSON Schemas of `/v1/decisions`: its requests, its responses and its errors, which have OpenAI's form.

const TEXT_OR_NULL = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

const oneOf = (name: string, ...values: string[]) => ({ [name]: { type: 'string', enum: values } });

const part = (type: string, field: string, value: object, more: object = {}) => ({
  type: 'object',
  required: ['type', field],
  properties: { ...oneOf('type', type), [field]: value, ...more },
});

const INPUT_TEXT = part('input_text', 'text', { type: 'string' });
const INPUT_IMAGE = part(
  'input_image',
  'image_url',
  { type: 'string', description: 'A `data:` URL in base64. Addresses are refused.' },
  {
    detail: {
      anyOf: [{ type: 'string', enum: ['low', 'high', 'auto', 'original'] }, { type: 'null' }],
      description: '`low`: at most 70 tokens; otherwise 280.',
    },
  },
);
const INPUT_JSON = part('input_json', 'data', {
  anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
});

const content = (...parts: object[]) => ({
  anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: parts } }],
});

const message = (role: string, ...parts: object[]) => ({
  type: 'object',
  required: ['role', 'content'],
  properties: {
    type: { anyOf: [{ type: 'string', const: 'message' }, { type: 'null' }] },
    ...oneOf('role', role),
    content: content(...parts),
  },
});

const call = (type: string, field: string) => ({
  type: 'object',
  required: ['type', 'call_id', 'name', field],
  properties: {
    ...oneOf('type', type),
    call_id: { type: 'string' },
    name: { type: 'string' },
    namespace: TEXT_OR_NULL,
    [field]: { type: 'string' },
  },
});

const output = (type: string) => ({
  type: 'object',
  required: ['type', 'call_id', 'output'],
  properties: {
    ...oneOf('type', type),
    call_id: { type: 'string', description: 'That of an earlier call in the list.' },
    output: content(INPUT_TEXT, INPUT_IMAGE),
  },
});

const ITEMS = [
  message('user', INPUT_TEXT, INPUT_IMAGE, INPUT_JSON),
  message('developer', INPUT_TEXT),
  message('system', INPUT_TEXT),
  message(
    'assistant',
    part('output_text', 'text', { type: 'string' }),
    part('refusal', 'refusal', { type: 'string' }),
  ),
  call('function_call', 'arguments'),
  output('function_call_output'),
  call('custom_tool_call', 'input'),
  output('custom_tool_call_output'),
];

const question = (type: string, more: Readonly<Record<string, object>> = {}) => ({
  type: 'object',
  required: ['type', ...Object.keys(more)],
  properties: {
    ...oneOf('type', type),
    name: TEXT_OR_NULL,
    instructions: { anyOf: [content(INPUT_TEXT, INPUT_IMAGE, INPUT_JSON), { type: 'null' }] },
    ...more,
  },
});

const CHOICE = {
  type: 'object',
  required: ['value'],
  properties: {
    value: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'boolean' }] },
    description: TEXT_OR_NULL,
  },
};
const LEVEL = {
  type: 'object',
  required: ['label'],
  properties: { label: { type: 'string', minLength: 1 }, description: TEXT_OR_NULL },
};

/** The body of a request. Other fields are ignored. */
export const DecisionsBody = {
  type: 'object',
  required: ['model', 'input', 'questions'],
  properties: {
    model: { type: 'string', description: 'A name that is not served means the default model.' },
    input: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { anyOf: ITEMS } }] },
    questions: {
      type: 'array',
      minItems: 1,
      maxItems: LIMITS.decisionQuestions,
      items: {
        anyOf: [
          question('predicate'),
          question('choice', {
            choices: {
              type: 'array',
              items: CHOICE,
              minItems: LIMITS.decisionChoicesMin,
              maxItems: LIMITS.decisionChoices,
              description: 'Each value once; `true` is not `"true"`.',
            },
          }),
          question('score', {
            levels: {
              type: 'array',
              items: LEVEL,
              minItems: LIMITS.scoreLevelsMin,
              maxItems: LIMITS.decisionLevels,
              description: 'Lowest first.',
            },
          }),
        ],
      },
    },
    prompt_cache_key: { ...TEXT_OR_NULL, description: 'No effect.' },
    prompt_cache_options: { anyOf: [{ type: 'object' }, { type: 'null' }], description: 'No effect.' },
    safety_identifier: { ...TEXT_OR_NULL, description: 'No effect.' },
  },
  description: 'One input and 1 to 400 questions about it, as OpenAI clients send them.',
} as const;

const PROBABILITY = { type: 'number', minimum: 0, maximum: 1 } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

/** On request, of every answer but a refusal. */
const DIAGNOSTICS = {
  raw_probabilities: {
    type: 'array',
    items: PROBABILITY,
    minItems: 2,
    description: 'On request: in the order of the options (of a predicate, true and false), not rounded.',
  },
  label_mass: LABEL_MASS,
} as const;

const answer = (type: string, fields: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: ['type', 'name', ...Object.keys(fields)],
  properties: {
    ...oneOf('type', type),
    name: TEXT_OR_NULL,
    ...fields,
    ...(type !== 'refusal' && DIAGNOSTICS),
  },
});

const shares = (fields: Readonly<Record<string, object>>) => ({
  type: 'array',
  items: {
    type: 'object',
    required: [...Object.keys(fields), 'probability'],
    properties: { ...fields, probability: PROBABILITY },
  },
  description: 'In the order of the request; they sum to 1.',
});

const VALUE = { anyOf: [{ type: 'string' }, { type: 'boolean' }] } as const;

export const DecisionsResponseSchema = {
  type: 'object',
  required: ['model', 'answers', 'usage'],
  properties: {
    model: { type: 'string', description: 'The build that answered.' },
    answers: {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [
          answer('predicate', { probability: PROBABILITY }),
          answer('choice', {
            choice: VALUE,
            confidence: PROBABILITY,
            probabilities: shares({ value: VALUE }),
          }),
          answer('score', {
            score: { type: 'number', minimum: 0 },
            confidence: PROBABILITY,
            probabilities: shares({ value: COUNT, label: { type: 'string' } }),
          }),
          answer('refusal', {}),
        ],
      },
      description: 'In the order of the questions.',
    },
    usage: {
      type: 'object',
      required: [
        'input_tokens',
        'input_tokens_details',
        'output_tokens',
        'output_tokens_details',
        'total_tokens',
      ],
      properties: {
        input_tokens: { ...COUNT, description: 'The billed tokens.' },
        input_tokens_details: {
          type: 'object',
          required: ['cached_tokens', 'cache_write_tokens'],
          properties: {
            cached_tokens: { ...COUNT, description: 'Those that were not computed again.' },
            cache_write_tokens: COUNT,
          },
        },
        output_tokens: { ...COUNT, description: 'The number of answered questions.' },
        output_tokens_details: {
          type: 'object',
          required: ['reasoning_tokens'],
          properties: { reasoning_tokens: COUNT },
        },
        total_tokens: COUNT,
      },
    },
  },
  description: 'The answers.',
} as const;

export const OpenAiErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string', description: 'The group of the error, as OpenAI names it.' },
        param: { ...TEXT_OR_NULL, description: 'The place in the body, such as `questions[3].name`.' },
        code: { type: 'string', enum: Object.keys(ERRORS) },
      },
    },
  },
  description: 'The reason of an error.',
} as const;
