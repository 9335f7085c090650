/**
 * Every path the server answers (contract 4), whether it wants a token, and whether `/m/<model>` may stand before it,
 * which pins the model. `HEAD` goes with `GET`.
 */
export const ROUTES = [
  {
    name: 'decide',
    method: 'POST',
    path: '/v1/decide',
    token: true,
    ofModel: true,
    meaning: 'Answer 1 to 16 questions about one state.',
  },
  {
    name: 'systemone',
    method: 'POST',
    path: '/v1/systemone',
    token: true,
    ofModel: true,
    meaning: 'The same; an unknown `model` is answered by the default one.',
  },
  {
    name: 'models',
    method: 'GET',
    path: '/v1/models',
    token: false,
    ofModel: true,
    meaning: 'The models served.',
  },
  {
    name: 'health',
    method: 'GET',
    path: '/health',
    token: false,
    ofModel: true,
    meaning: '`{"status":"ok"}`; 503 until the models are loaded.',
  },
  {
    name: 'openapi',
    method: 'GET',
    path: '/openapi.json',
    token: false,
    ofModel: false,
    meaning: 'This interface as an OpenAPI 3.1 document.',
  },
] as const;

export type Route = (typeof ROUTES)[number];
export type RouteName = Route['name'];
