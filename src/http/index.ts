export type {
  App,
  Authorized,
  BatchApp,
  DecideCall,
  DecideReply,
  ModelListEntry,
  Results,
  SubmitCall,
} from './app.js';
export { isLoopback } from './loopback.js';
export type { AccessEntry } from './pipeline.js';
export { newRequestId } from './request-id.js';
export {
  BODY_DEADLINES,
  createBounds,
  type HttpOptions,
  type HttpServer,
  type SharedBounds,
  startHttp,
} from './start.js';
export { ListenError, type TransportChoice, type TransportName } from './transport/index.js';
