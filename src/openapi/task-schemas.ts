import { LIMITS } from '../api/index.js';
import { QUESTIONS } from './requests.js';
import { TaskDriftSchema, TaskWarningsSchema } from './task-drift-schema.js';
import { TaskFitSchema } from './task-fit-schema.js';
import { ShadowField, ShadowSchema } from './task-shadow-schema.js';

// JSON Schemas of the tasks of a workspace (contract 4.11), for documentation and tests; the clients derive their types
// from them.

const [TARGET_MIN, TARGET_MAX] = LIMITS.taskTargetErrors;
const [CONFIDENCE_MIN, CONFIDENCE_MAX] = LIMITS.taskConfidences;

const VERSION = { type: 'integer', minimum: 1, maximum: LIMITS.taskVersions } as const;
const TIMESTAMP = { type: 'string', format: 'date-time', description: 'ISO 8601 with offset.' } as const;
const TARGET_ERROR = {
  type: 'number',
  minimum: TARGET_MIN,
  maximum: TARGET_MAX,
  description: 'The most that the share of errors among accepted answers may be; 0.05 if absent.',
} as const;
const CONFIDENCE = {
  type: 'number',
  minimum: CONFIDENCE_MIN,
  maximum: CONFIDENCE_MAX,
  description: 'With which probability the target error holds; 0.95 if absent.',
} as const;
const MODEL = {
  anyOf: [{ type: 'string' }, { type: 'null' }],
  description: 'An id of the model list, or a build; `null` or absent is the default model.',
} as const;
const DESCRIPTION = {
  anyOf: [{ type: 'string' }, { type: 'null' }],
  description: `A note of at most ${LIMITS.taskDescriptionCodePoints} characters.`,
} as const;

/** The body of a PUT. Other fields are ignored. */
export const TaskBody = {
  type: 'object',
  required: ['questions'],
  properties: {
    questions: QUESTIONS,
    model: MODEL,
    description: DESCRIPTION,
    target_error: TARGET_ERROR,
    confidence: CONFIDENCE,
    shadow: ShadowField,
  },
  description: 'Questions that are asked about many states.',
} as const;

const SUMMARY_FIELDS = {
  object: { type: 'string', const: 'task' },
  name: { type: 'string' },
  version: VERSION,
  model: MODEL,
  description: DESCRIPTION,
  target_error: TARGET_ERROR,
  confidence: CONFIDENCE,
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
} as const;

const SUMMARY_NAMES = [
  'object',
  'name',
  'version',
  'model',
  'description',
  'target_error',
  'confidence',
  'created_at',
  'updated_at',
] as const;

const COUNTED = {
  answers: { type: 'integer', minimum: 0, description: 'Answers whose numbers are kept.' },
  labels: {
    type: 'integer',
    minimum: 0,
    description: 'Answers to the version in use whose correct options are known.',
  },
} as const;

/** A task. */
export const TaskSchema = {
  type: 'object',
  required: [
    ...SUMMARY_NAMES,
    'versions',
    'answers',
    'labels',
    'fit',
    'drift',
    'warnings',
    'shadow',
    'questions',
  ],
  properties: {
    ...SUMMARY_FIELDS,
    versions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['version', 'model', 'created_at'],
        properties: { version: VERSION, model: MODEL, created_at: TIMESTAMP },
      },
      description: 'Oldest first; the last one is in use.',
    },
    ...COUNTED,
    fit: {
      anyOf: [TaskFitSchema, { type: 'null' }],
      description: 'The fit in force for the build that answers now; `null` without one.',
    },
    drift: {
      anyOf: [TaskDriftSchema, { type: 'null' }],
      description: 'What the answers of that build say since the fit; `null` without one.',
    },
    warnings: TaskWarningsSchema,
    shadow: { anyOf: [ShadowSchema, { type: 'null' }], description: 'The shadow build; `null` without one.' },
    questions: QUESTIONS,
  },
  description: 'A task and the questions of its version in use.',
} as const;

const ENTRY = {
  type: 'object',
  required: [...SUMMARY_NAMES, 'answers', 'labels', 'fitted_at'],
  properties: {
    ...SUMMARY_FIELDS,
    ...COUNTED,
    fitted_at: {
      anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
      description: 'When the fit in force for the build that answers now was made; `null` without one.',
    },
  },
} as const;

/** All tasks of the workspace. */
export const TaskListSchema = {
  type: 'object',
  required: ['object', 'data'],
  properties: {
    object: { type: 'string', const: 'list' },
    data: { type: 'array', items: ENTRY, description: 'By name.' },
  },
  description: 'The tasks of the workspace, without their questions.',
} as const;

/** The answer to labels. */
export const TaskLabelsSchema = {
  type: 'object',
  required: ['object', 'task', 'lines', 'labels'],
  properties: {
    object: { type: 'string', const: 'labels' },
    task: {
      type: 'object',
      required: ['name', 'version'],
      properties: { name: { type: 'string' }, version: VERSION },
    },
    lines: { type: 'integer', minimum: 1, description: 'Lines of the call, all of which are stored.' },
    labels: { type: 'integer', minimum: 0, description: 'Labelled answers that the task has now.' },
  },
  description: 'The labels are stored.',
} as const;

/** The answer to a DELETE. */
export const TaskDeletedSchema = {
  type: 'object',
  required: ['object', 'name', 'deleted'],
  properties: {
    object: { type: 'string', const: 'task' },
    name: { type: 'string' },
    deleted: { type: 'boolean', const: true },
  },
  description: 'The task does not exist any more.',
} as const;
