// The health check of the container: status 0 if the base endpoint answers requests. Follows DECIDER_PORT and TLS.
import { request } from 'node:http';
import { request as requestTls } from 'node:https';

const { DECIDER_PORT, DECIDER_TLS_CERT } = process.env;
const ask = DECIDER_TLS_CERT ? requestTls : request;
// Loopback needs no certificate that names it.
const options = { host: '127.0.0.1', port: DECIDER_PORT || 8080, path: '/health', timeout: 4_000, rejectUnauthorized: false };
const sent = ask(options, (response) => process.exit(response.statusCode === 200 ? 0 : 1));
sent.on('timeout', () => process.exit(1));
sent.on('error', () => process.exit(1));
sent.end();
