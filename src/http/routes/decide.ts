import type { RouteHandler } from './route.js';

/** `POST /v1/decide` (contract 4.1): a model that is not served is an error. */
export const decide: RouteHandler = ({ door, ...call }) => door.decide({ ...call, unknownModel: 'refuse' });

/** `POST /v1/systemone` (contract 4.2): a model that is not served is answered by the default one. */
export const systemone: RouteHandler = ({ door, ...call }) =>
  door.decide({ ...call, unknownModel: 'default' });
