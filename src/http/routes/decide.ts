import type { DecideReply } from '../app.js';
import type { AuthorizedCall, Handle, RouteReply } from './route.js';

/** `POST /v1/decide` (contract 4.1): a model that is not served is an error. */
export const decide: Handle<AuthorizedCall> = async ({ caller, ...call }) =>
  withTiming(await caller.decide({ ...call, unknownModel: 'refuse' }));

/** `POST /v1/systemone` (contract 4.2): a model that is not served is answered by the default one. */
export const systemone: Handle<AuthorizedCall> = async ({ caller, ...call }) =>
  withTiming(await caller.decide({ ...call, unknownModel: 'default' }));

/** W3C Server-Timing: `name;dur=milliseconds`, in the order given. */
function withTiming({ json, timing }: DecideReply): RouteReply {
  const parts = Object.entries(timing).map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`);
  return { body: json, headers: [['Server-Timing', parts.join(', ')]] };
}
