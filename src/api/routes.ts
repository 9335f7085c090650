/**
 * Every route of the server (contract 4): its body, whether it requires a token, and whether the prefix `/m/<model>` may
 * pin the model. `HEAD` follows `GET`; `{id}` is the id of a batch.
 */
export const ROUTES = [
  {
    name: 'decide',
    method: 'POST',
    path: '/v1/decide',
    token: true,
    body: 'decision',
    ofModel: true,
    meaning: 'Answer 1 to 16 questions about one state.',
  },
  {
    name: 'systemone',
    method: 'POST',
    path: '/v1/systemone',
    token: true,
    body: 'decision',
    ofModel: true,
    meaning: 'The same for System One clients; an unknown `model` is answered by the default one.',
  },
  {
    name: 'submitBatch',
    method: 'POST',
    path: '/v1/batches',
    token: true,
    body: 'lines',
    ofModel: false,
    meaning: 'Submit a batch: a JSON Lines file with one decision per line.',
  },
  {
    name: 'listBatches',
    method: 'GET',
    path: '/v1/batches',
    token: true,
    body: 'none',
    ofModel: false,
    meaning: 'List the batches of the key, oldest first.',
  },
  {
    name: 'showBatch',
    method: 'GET',
    path: '/v1/batches/{id}',
    token: true,
    body: 'none',
    ofModel: false,
    meaning: 'Show one batch.',
  },
  {
    name: 'batchResults',
    method: 'GET',
    path: '/v1/batches/{id}/results',
    token: true,
    body: 'none',
    ofModel: false,
    meaning: 'Collect the results of a finished batch, one line per input line.',
  },
  {
    name: 'cancelBatch',
    method: 'POST',
    path: '/v1/batches/{id}/cancel',
    token: true,
    body: 'none',
    ofModel: false,
    meaning: 'Cancel a batch; lines in progress are still answered.',
  },
  {
    name: 'models',
    method: 'GET',
    path: '/v1/models',
    token: false,
    body: 'none',
    ofModel: true,
    meaning: 'List the models.',
  },
  {
    name: 'health',
    method: 'GET',
    path: '/health',
    token: false,
    body: 'none',
    ofModel: true,
    meaning: 'Answer `{"status":"ok"}`; 503 until the models are loaded.',
  },
  {
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    token: false,
    body: 'none',
    ofModel: false,
    meaning: 'Describe this interface as an OpenAPI 3.1 document.',
  },
] as const;

export type Route = (typeof ROUTES)[number];
export type RouteName = Route['name'];
