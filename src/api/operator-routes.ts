/** Every route of the operator listener. All of them need the operator's token; `HEAD` follows `GET`. */
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

export type OperatorRouteName = (typeof OPERATOR_ROUTES)[number]['name'];
