import {
  ERRORS,
  type ErrorType,
  LIMITS,
  openAiStatus,
  ROUTES,
  type Route,
  type RouteName,
} from '../api/index.js';
import { DAYS_PARAMETER, LimitsSchema, UsageSchema } from './account-responses.js';
import { BatchListSchema, BatchSchema, SubmitResponseSchema } from './batch-responses.js';
import { DecisionsBody, DecisionsResponseSchema, OpenAiErrorSchema } from './decisions.js';
import { DecideBody, SystemoneBody, TaskDecideBody } from './requests.js';
import {
  DecideResponseSchema,
  ErrorSchema,
  HealthSchema,
  ModelListSchema,
  TaskAnswersSchema,
} from './responses.js';
import { TaskFitSchema } from './task-fit-schema.js';
import { TaskBody, TaskDeletedSchema, TaskLabelsSchema, TaskListSchema, TaskSchema } from './task-schemas.js';
import { PromotionBody } from './task-shadow-schema.js';

const SCHEMAS = {
  DecideRequest: DecideBody,
  SystemoneRequest: SystemoneBody,
  DecisionsRequest: DecisionsBody,
  DecideResponse: DecideResponseSchema,
  DecisionsResponse: DecisionsResponseSchema,
  SubmitResponse: SubmitResponseSchema,
  Batch: BatchSchema,
  BatchList: BatchListSchema,
  TaskRequest: TaskBody,
  Task: TaskSchema,
  TaskList: TaskListSchema,
  TaskDeleted: TaskDeletedSchema,
  TaskDecideRequest: TaskDecideBody,
  TaskAnswers: TaskAnswersSchema,
  TaskLabels: TaskLabelsSchema,
  TaskFit: TaskFitSchema,
  TaskPromotion: PromotionBody,
  Limits: LimitsSchema,
  Usage: UsageSchema,
  ModelList: ModelListSchema,
  Health: HealthSchema,
  Error: ErrorSchema,
  OpenAiError: OpenAiErrorSchema,
} as const;
type SchemaName = keyof typeof SCHEMAS;

/** The body of a 200, by route; null: not described by a schema; `page`: for browsers, and not in the document. */
const ANSWERS: Readonly<Record<RouteName, SchemaName | 'page' | null>> = {
  decide: 'DecideResponse',
  systemone: 'DecideResponse',
  decisions: 'DecisionsResponse',
  submitBatch: 'SubmitResponse',
  listBatches: 'BatchList',
  showBatch: 'Batch',
  batchResults: null,
  cancelBatch: 'Batch',
  listTasks: 'TaskList',
  putTask: 'Task',
  showTask: 'Task',
  deleteTask: 'TaskDeleted',
  decideTask: 'TaskAnswers',
  labelTask: 'TaskLabels',
  fitTask: 'TaskFit',
  promoteTask: 'Task',
  limits: 'Limits',
  usage: 'Usage',
  models: 'ModelList',
  health: 'Health',
  openapi: null,
  console: 'page',
  consoleFile: 'page',
};

/** A request that the server answers with a 200. */
export const DECIDE_EXAMPLE = {
  state: 'My card was charged twice!',
  questions: {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
    urgent: { type: 'score', criteria: ['can wait', 'this week', 'now'] },
  },
} as const;

/** The same for `/v1/decisions`. */
export const DECISIONS_EXAMPLE = {
  model: 'decider-g-12b',
  input: 'My card was charged twice!',
  questions: [
    { type: 'predicate', name: 'angry', instructions: 'Is the customer angry?' },
    {
      type: 'choice',
      name: 'team',
      instructions: 'Which team should answer?',
      choices: [{ value: 'billing' }, { value: 'technical' }, { value: 'sales' }],
    },
    {
      type: 'score',
      name: 'urgent',
      instructions: 'How urgent is it?',
      levels: [{ label: 'can wait' }, { label: 'this week' }, { label: 'now' }],
    },
  ],
} as const;

/** A task that the server accepts. */
export const TASK_EXAMPLE = { questions: DECIDE_EXAMPLE.questions, target_error: 0.05 } as const;

/** The request of each route that takes JSON. */
const REQUESTS = {
  decide: { schema: 'DecideRequest', example: DECIDE_EXAMPLE },
  systemone: { schema: 'SystemoneRequest', example: DECIDE_EXAMPLE },
  decisions: { schema: 'DecisionsRequest', example: DECISIONS_EXAMPLE },
  putTask: { schema: 'TaskRequest', example: TASK_EXAMPLE },
  decideTask: { schema: 'TaskDecideRequest', example: { state: DECIDE_EXAMPLE.state } },
  promoteTask: { schema: 'TaskPromotion', example: { version: 1 } },
} as const satisfies Readonly<
  Record<
    Extract<Route, { body: 'decision' | 'task' | 'promotion' }>['name'],
    { schema: SchemaName; example: object }
  >
>;

/** The contract as an OpenAPI 3.1 document, made from the tables and schemas of this room. */
export function openApi(version: string): object {
  const paths: Record<string, object> = {};
  const add = (path: string, operation: object) => {
    paths[path] = { ...paths[path], ...operation };
  };
  for (const route of ROUTES) {
    const answer = ANSWERS[route.name];
    if (answer === 'page') continue;
    const own: object[] = route.path.includes('{id}') ? [ID_PARAMETER] : [];
    if (route.path.includes('{name}')) own.push(NAME_PARAMETER);
    if (route.body === 'decision') own.push(...DIAGNOSTIC_PARAMETERS);
    if (route.name === 'listBatches') own.push(...PAGE_PARAMETERS);
    if (route.name === 'usage') own.push(DAYS_PARAMETER);
    add(route.path, operationOf(route, answer, route.name, own));
    if (route.ofModel) {
      add(
        `/m/{model}${route.path}`,
        operationOf(route, answer, `${route.name}OfModel`, [MODEL_PARAMETER, ...own]),
      );
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'decider',
      version,
      description: 'Typed questions about one situation, answered with probabilities.',
    },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: SCHEMAS,
    },
  };
}

const MODEL_PARAMETER = {
  name: 'model',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The model that answers, regardless of the body.',
};

const ID_PARAMETER = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'The id of a batch.',
};

const NAME_PARAMETER = {
  name: 'name',
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.customIdCharacters },
  description: 'The name of a task: letters, digits, `_`, `.`, `:` and `-`.',
};

const DIAGNOSTIC_PARAMETERS = [
  {
    name: 'Service-Raw-Probabilities',
    in: 'header',
    schema: { type: 'string', enum: ['true'] },
    description: 'Adds `raw_probabilities` to each answer.',
  },
  {
    name: 'Service-Label-Mass',
    in: 'header',
    schema: { type: 'string', enum: ['true'] },
    description: 'Adds `label_mass` to each answer.',
  },
  {
    name: 'Service-Option-Rotations',
    in: 'header',
    schema: { type: 'integer', minimum: 1, maximum: LIMITS.optionRotations },
    description:
      'Asks each choice in this many orders of its options, at most as many as it has, and averages its probabilities. Every order is billed.',
  },
];

const PAGE_PARAMETERS = [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: LIMITS.batchesListed },
    description: 'Maximum number of batches to list; all if omitted.',
  },
  {
    name: 'after',
    in: 'query',
    schema: { type: 'string' },
    description: 'The id of a batch; only batches submitted after it are listed.',
  },
];

function operationOf(
  route: Route,
  answer: SchemaName | null,
  operationId: string,
  parameters: readonly object[],
): object {
  const operation = {
    operationId,
    summary: route.meaning,
    parameters,
    ...(route.body === 'none' ? {} : { requestBody: requestBody(route) }),
    responses: responsesOf(route, answer),
    security: route.token ? [{ token: [] }] : [],
  };
  return { [route.method.toLowerCase()]: operation };
}

const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

function requestBody(route: Route): object {
  if (route.body !== 'decision' && route.body !== 'task' && route.body !== 'promotion')
    return { required: true, content: { 'application/jsonl': { schema: { type: 'string' } } } };
  const { schema, example } = REQUESTS[route.name];
  const required = route.body !== 'promotion';
  const json = { 'application/json': { schema: reference(schema), example } };
  const takesFiles = route.body === 'decision' && route.errors !== 'openai';
  return { required, content: takesFiles ? { ...json, ...withFiles(schema) } : json };
}

/** Contract 4.1 rule 3: a request with its images as files. */
const withFiles = (schema: SchemaName) => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['request'],
      properties: { request: reference(schema) },
      additionalProperties: { contentMediaType: 'application/octet-stream' },
      description:
        'The first part is `request`, the JSON. Every other part is an image file, whose name an asset gives as its `part`.',
    },
    encoding: { request: { contentType: 'application/json' } },
  },
});

/** The 200 and the errors of a route, by status. */
function responsesOf(route: Route, answer: SchemaName | null): object {
  const schema = answer === null ? { type: 'object' } : reference(answer);
  const media = route.name === 'batchResults' ? 'application/jsonl' : 'application/json';
  const openai = route.errors === 'openai';
  const types = Object.entries(ERRORS).filter(([type]) => route.token || OPEN_ERRORS.has(type));
  const byStatus = new Map<number, string[]>();
  for (const [type, { status: own, meaning }] of types) {
    const status = openai ? openAiStatus(type as ErrorType) : own;
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${type}\`: ${meaning}`]);
  }
  const errors = [...byStatus].map(([status, meanings]) => [
    status,
    {
      description: meanings.join(' '),
      content: { 'application/json': { schema: reference(openai ? 'OpenAiError' : 'Error') } },
    },
  ]);
  return {
    200: { description: route.meaning, content: { [media]: { schema } } },
    ...Object.fromEntries(errors),
  };
}

/** Errors of routes without a token. */
const OPEN_ERRORS: ReadonlySet<string> = new Set([
  'not_found',
  'method_not_allowed',
  'model_not_found',
  'model_unavailable',
  'overloaded',
  'internal_error',
]);
