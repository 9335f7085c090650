export type {
  App,
  Authorized,
  BatchApp,
  DecideReply,
  ModelListEntry,
  Rates,
  Results,
} from './app.js';
export { isLoopbackNetwork, TrustedProxies } from './client-address.js';
export type { ConsoleFile, ConsoleFiles } from './console/files.js';
export { type ConsoleSite, consoleFileReply } from './console/serve.js';
export { checkSite } from './console/site.js';
export type { AccessEntry } from './pipeline.js';
export {
  BODY_DEADLINES,
  createBounds,
  type HttpOptions,
  type HttpServer,
  isLoopback,
  newRequestId,
  type SharedBounds,
  startHttp,
} from './start.js';
export { type Certificate, readCertificate, TlsError, type TlsFiles } from './transport/certificate.js';
export type { TransportChoice } from './transport/choose.js';
export { Linger } from './transport/linger.js';
export { isUpgrade } from './transport/node-refuse.js';
export { ConnectionTurns } from './transport/node-turns.js';
export { tryCertificate } from './transport/trial-handshake.js';
export { type HeaderList, ListenError, type TransportName } from './transport/types.js';
