import type { Handle, OpenCall } from './route.js';

/** `GET /health` (contract 4.5); 503 until the models are loaded, so that a load balancer can wait for them. */
export const health: Handle<OpenCall> = ({ app }) => {
  app.checkReady();
  return { body: '{"status":"ok"}' };
};
