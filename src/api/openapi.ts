import { ERRORS } from './errors.js';
import { DecideResponseSchema, ErrorSchema, HealthSchema, ModelListSchema } from './responses.js';
import { ROUTES, type Route, type RouteName } from './routes.js';
import { DecideBody, SystemoneBody } from './schemas.js';

const SCHEMAS = {
  DecideRequest: DecideBody,
  SystemoneRequest: SystemoneBody,
  DecideResponse: DecideResponseSchema,
  ModelList: ModelListSchema,
  Health: HealthSchema,
  Error: ErrorSchema,
} as const;
type SchemaName = keyof typeof SCHEMAS;

/** What a route answers with a 200; null: a JSON object that is described elsewhere. */
const ANSWERS: Readonly<Record<RouteName, SchemaName | null>> = {
  decide: 'DecideResponse',
  systemone: 'DecideResponse',
  models: 'ModelList',
  health: 'Health',
  openapi: null,
};

/** An example of a request, which the server answers with a 200. */
export const DECIDE_EXAMPLE = {
  state: 'My card was charged twice!',
  questions: {
    angry: { type: 'noul', instructions: 'Is the customer angry?' },
    team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
    urgent: { type: 'score', criteria: ['can wait', 'this week', 'now'] },
  },
} as const;

/** The contract as an OpenAPI 3.1 document, made from the tables and schemas of this room. */
export function openApi(version: string): object {
  const open = ROUTES.flatMap((route) => [
    [route.path, operationOf(route, [])] as const,
    ...(route.ofModel ? [[`/m/{model}${route.path}`, operationOf(route, [MODEL_PARAMETER])] as const] : []),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'decider',
      version,
      description: 'Typed questions about one situation, answered with probabilities.',
    },
    paths: Object.fromEntries(open),
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
  description: 'The model that answers, whatever the body names.',
};

function operationOf(route: Route, parameters: readonly object[]): object {
  const operation = {
    operationId: parameters.length === 0 ? route.name : `${route.name}OfModel`,
    summary: route.meaning,
    parameters,
    ...(route.method === 'POST' ? { requestBody: requestBody(route.name) } : {}),
    responses: responsesOf(route),
    security: route.token ? [{ token: [] }] : [],
  };
  return { [route.method.toLowerCase()]: operation };
}

const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

function requestBody(route: RouteName): object {
  const schema = reference(route === 'systemone' ? 'SystemoneRequest' : 'DecideRequest');
  return { required: true, content: { 'application/json': { schema, example: DECIDE_EXAMPLE } } };
}

/** Errors by status: every type of the table that a route can answer. */
function responsesOf(route: Route): object {
  const answer = ANSWERS[route.name];
  const schema = answer === null ? { type: 'object' } : reference(answer);
  const types = Object.entries(ERRORS).filter(([type]) => route.method === 'POST' || OPEN_ERRORS.has(type));
  const byStatus = new Map<number, string[]>();
  for (const [type, { status, meaning }] of types) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${type}\`: ${meaning}`]);
  }
  const errors = [...byStatus].map(([status, meanings]) => [
    status,
    { description: meanings.join(' '), content: { 'application/json': { schema: reference('Error') } } },
  ]);
  return {
    200: { description: route.meaning, content: { 'application/json': { schema } } },
    ...Object.fromEntries(errors),
  };
}

/** What a route without a body and a token can answer. */
const OPEN_ERRORS: ReadonlySet<string> = new Set([
  'not_found',
  'method_not_allowed',
  'model_not_found',
  'model_unavailable',
  'internal_error',
]);
