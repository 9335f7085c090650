import type { Route } from '../../api/index.js';
import { batchResults, cancelBatch, listBatches, showBatch, submitBatch } from './batches.js';
import { decide, systemone } from './decide.js';
import { health } from './health.js';
import { models } from './models.js';
import { openapi } from './openapi.js';
import type { AuthorizedCall, BatchCall, Handle, OpenCall, SubmitBatchCall } from './route.js';

export type { RouteReply } from './route.js';

type Named<Token extends boolean, Body> = Extract<
  Route,
  { readonly token: Token; readonly body: Body }
>['name'];

/** The handlers of all routes in the table of `api/`: those that take a decide request … */
export const DECISIONS: Readonly<Record<Named<true, 'decision'>, Handle<AuthorizedCall>>> = {
  decide,
  systemone,
};
/** … those that take a batch file … */
export const SUBMISSIONS: Readonly<Record<Named<true, 'lines'>, Handle<SubmitBatchCall>>> = { submitBatch };
/** … those that ask about batches … */
export const BATCHES: Readonly<Record<Named<true, 'none'>, Handle<BatchCall>>> = {
  listBatches,
  showBatch,
  batchResults,
  cancelBatch,
};
/** … and those that want no token. */
export const OPEN: Readonly<Record<Named<false, 'none'>, Handle<OpenCall>>> = { models, health, openapi };
