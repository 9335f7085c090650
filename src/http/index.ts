export type {
  Authorized,
  BatchDoor,
  DecideCall,
  DecideReply,
  Door,
  ModelListEntry,
  Results,
  SubmitCall,
} from './door.js';
export { isLoopback } from './loopback.js';
export type { AccessEntry } from './pipeline.js';
export { newRequestId } from './request-id.js';
export { BODY_DEADLINES, BODY_MEMORY_BYTES, type HttpOptions, type HttpServer, startHttp } from './start.js';
export { ListenError, type TransportChoice, type TransportName } from './transport/index.js';
