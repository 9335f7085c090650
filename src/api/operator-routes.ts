/**
 * Every route of the operator listener. All of them need the operator's token; `HEAD` follows `GET`. The JSON of the
 * routes below `/api` is in `operator.ts`, by their names; `{id}` is the id of a workspace or a key.
 */
export const OPERATOR_ROUTES = [
  {
    name: 'metrics',
    method: 'GET',
    path: '/metrics',
    meaning: 'All metrics in the Prometheus text format; see [metrics](metrics.md).',
  },
  {
    name: 'ready',
    method: 'GET',
    path: '/ready',
    meaning: '200 if the server can answer requests, otherwise 503 with the reasons.',
  },
  {
    name: 'status',
    method: 'GET',
    path: '/status',
    meaning:
      'Version, uptime, settings without secrets, devices, models with their lanes and queues, batches, data folder.',
  },
] as const;

/** The routes of the operator's JSON interface. */
export const OPERATOR_API = [
  {
    name: 'listWorkspaces',
    method: 'GET',
    path: '/api/workspaces',
    meaning: 'List the workspaces with their credit, charges, budgets and limits.',
  },
  {
    name: 'createWorkspace',
    method: 'POST',
    path: '/api/workspaces',
    meaning: 'Create a workspace, without credit.',
  },
  {
    name: 'changeWorkspace',
    method: 'PATCH',
    path: '/api/workspaces/{id}',
    meaning: 'Set the budget, the models or the limits of a workspace.',
  },
  {
    name: 'grantCredit',
    method: 'POST',
    path: '/api/workspaces/{id}/grants',
    meaning: 'Grant credit; a negative amount takes it back.',
  },
  {
    name: 'showUsage',
    method: 'GET',
    path: '/api/workspaces/{id}/usage',
    meaning: 'Usage and charges of the last `days` by day, key, model and kind.',
  },
  {
    name: 'listKeys',
    method: 'GET',
    path: '/api/keys',
    meaning: 'List the keys, of one `workspace` or all.',
  },
  {
    name: 'createKey',
    method: 'POST',
    path: '/api/keys',
    meaning: 'Create a key. The response has its token, which is not stored.',
  },
  {
    name: 'rollKey',
    method: 'POST',
    path: '/api/keys/{id}/roll',
    meaning: 'Replace a key; the old one works until the end of the next UTC day.',
  },
  {
    name: 'revokeKey',
    method: 'POST',
    path: '/api/keys/{id}/revoke',
    meaning: 'Revoke a key immediately and permanently.',
  },
  {
    name: 'listModels',
    method: 'GET',
    path: '/api/models',
    meaning: 'List the models with their builds and prices.',
  },
  {
    name: 'showLive',
    method: 'GET',
    path: '/api/live',
    meaning: 'What the server does now: lanes, waves, queues, memory. Cheap enough for a call per second.',
  },
  {
    name: 'listBatches',
    method: 'GET',
    path: '/api/batches',
    meaning:
      'List the newest batches, of one `state` or `workspace` or all, up to `limit`. Without their contents.',
  },
  {
    name: 'listErrors',
    method: 'GET',
    path: '/api/errors',
    meaning: 'List the last warnings and errors of the log.',
  },
  {
    name: 'listAudit',
    method: 'GET',
    path: '/api/audit',
    meaning: 'List the last administrative changes, up to `limit`, with a number below `before`.',
  },
] as const;

export type OperatorApiName = (typeof OPERATOR_API)[number]['name'];
