export type {
  App,
  Authorized,
  BatchApp,
  DecideReply,
  ModelListEntry,
  Phases,
  Rates,
  Results,
  TaskApp,
} from './app.js';
export { type ChosenTransport, chooseTransport } from './choose-transport.js';
export { isLoopbackNetwork, TrustedProxies } from './client-address.js';
export type { ConsoleFile, ConsoleFiles } from './console/console-files.js';
export { type ConsoleSite, consoleFileReply } from './console/serve-console.js';
export { checkSite } from './console/site.js';
export { isFromBrowser } from './persistence.js';
export type { AccessEntry } from './pipeline.js';
export { MALFORMED } from './reply.js';
export {
  BODY_DEADLINES,
  createBounds,
  type HttpOptions,
  type HttpServer,
  isLoopback,
  newRequestId,
  type SharedBounds,
  startHttp,
} from './start-http.js';
export { type Certificate, readCertificate, TlsError, type TlsFiles } from './transport/certificate.js';
export { headerList } from './transport/header-list.js';
export { arrivalOf, limitFields } from './transport/node-head.js';
export { refuseMalformed } from './transport/node-refuse.js';
export { endBehindRequest, IDLE_MS, sendBody } from './transport/node-send.js';
export { ConnectionTurns } from './transport/node-turns.js';
export { RequestMemory } from './transport/request-memory.js';
export {
  type HeaderList,
  ListenError,
  MAX_HEADER_BYTES,
  type MalformedStatus,
  type Transport,
  type TransportName,
} from './transport/transport-types.js';
export { tryCertificate } from './transport/trial-handshake.js';
