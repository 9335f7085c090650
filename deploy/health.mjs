// The health check of the container: status 0 if the base endpoint answers requests. Follows `host`, `port` and `tls.cert`
// of the settings: a variable, else the file that DECIDER_CONFIG names, else the default.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

const { DECIDER_CONFIG, DECIDER_HOST, DECIDER_PORT, DECIDER_TLS_CERT } = process.env;
/** Where a server is reached that listens on all addresses, or on loopback. */
const LOOPBACK = new Map([
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The settings of a file. Empty if it cannot be read: a server that runs keeps those that it has read. */
function settingsOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) ?? {};
  } catch {
    return {};
  }
}

const given = DECIDER_CONFIG ? settingsOf(DECIDER_CONFIG) : {};
const host = DECIDER_HOST || given.host || '';
const cert = DECIDER_TLS_CERT || given.tls?.cert || given['tls.cert'];
const ask = cert ? requestTls : request;
const options = {
  host: LOOPBACK.get(host) ?? host,
  // Kubernetes sets the variable to a URL for a service named decider; the server then ignores it.
  port: [DECIDER_PORT, given.port].find((port) => /^\d+$/.test(port ?? '')) ?? 8080,
  path: '/health',
  timeout: 4_000,
  // The certificate need not name the address.
  rejectUnauthorized: false,
};
const sent = ask(options, (response) => process.exit(response.statusCode === 200 ? 0 : 1));
sent.on('timeout', () => process.exit(1));
sent.on('error', () => process.exit(1));
sent.end();
