import type { Route } from '../../api/index.js';
import { decide, systemone } from './decide.js';
import { health } from './health.js';
import { models } from './models.js';
import { openapi } from './openapi.js';
import type { AuthorizedCall, Handle, OpenCall } from './route.js';

export type { RouteReply } from './route.js';

type Named<Token extends boolean> = Extract<Route, { readonly token: Token }>['name'];

/** The handler of every route in the table of `api/` that wants a token … */
export const AUTHORIZED: Readonly<Record<Named<true>, Handle<AuthorizedCall>>> = { decide, systemone };
/** … and of every other. */
export const OPEN: Readonly<Record<Named<false>, Handle<OpenCall>>> = { models, health, openapi };
