import type { RouteHandler } from './route.js';

/** `GET /health` (contract 4.5). */
export const health: RouteHandler = () => ({ json: '{"status":"ok"}' });
