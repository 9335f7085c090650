import type { RouteName } from '../../api/index.js';
import { decide, systemone } from './decide.js';
import { health } from './health.js';
import { models } from './models.js';
import type { RouteHandler } from './route.js';

export type { RouteCall, RouteHandler, RouteReply } from './route.js';

/** The handler of every route in the table of `api/`. */
export const HANDLERS: Readonly<Record<RouteName, RouteHandler>> = { decide, systemone, models, health };
