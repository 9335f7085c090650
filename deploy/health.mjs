// The health check of the container: status 0 if the base endpoint answers requests. Follows DECIDER_HOST, DECIDER_PORT
// and DECIDER_TLS_CERT.
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

const { DECIDER_HOST = '', DECIDER_PORT = '', DECIDER_TLS_CERT } = process.env;
/** Where a server is reached that listens on all addresses, or on loopback. */
const LOOPBACK = new Map([
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
const ask = DECIDER_TLS_CERT ? requestTls : request;
const options = {
  host: LOOPBACK.get(DECIDER_HOST) ?? DECIDER_HOST,
  // Kubernetes sets the variable to a URL for a service named decider; the server then ignores it.
  port: /^\d+$/.test(DECIDER_PORT) ? DECIDER_PORT : 8080,
  path: '/health',
  timeout: 4_000,
  // The certificate need not name the address.
  rejectUnauthorized: false,
};
const sent = ask(options, (response) => process.exit(response.statusCode === 200 ? 0 : 1));
sent.on('timeout', () => process.exit(1));
sent.on('error', () => process.exit(1));
sent.end();
