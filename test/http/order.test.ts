import { request } from './raw-client.js';
import { errorType, onBoth, serve } from './serving.js';

const brotli = { 'Content-Encoding': 'br' };
const plain = { 'Content-Type': 'text/plain' };
const huge = { 'Content-Length': '99999999' };
const unannounced = { 'Content-Length': null };

/** Requests wrong in two ways or more, and the error that comes first. */
const CASES: readonly (readonly [expected: string, bytes: string])[] = [
  ['invalid_request', request('POST', '/nowhere', '{}', { 'Content-Length': '2\r\nContent-Length: 2' })],
  ['not_found', request('DELETE', '/nowhere', '{}', { ...huge, ...brotli, ...plain })],
  ['not_found', request('POST', '/nowhere', '', unannounced)],
  ['method_not_allowed', request('PUT', '/v1/decide', '{}', { ...huge, ...brotli, ...plain })],
  ['method_not_allowed', request('PUT', '/v1/decide', '', unannounced)],
  ['length_required', request('POST', '/v1/decide', '', { ...unannounced, ...brotli, ...plain })],
  ['body_too_large', request('POST', '/v1/decide', '{}', { ...huge, ...brotli, ...plain })],
  ['body_too_large', request('POST', '/v1/decide', '{}', { ...huge, ...plain })],
  ['unsupported_encoding', request('POST', '/v1/decide', '{}', { ...brotli, ...plain })],
  ['unsupported_media_type', request('POST', '/v1/decide', 'not json', plain)],
];

onBoth('a request wrong in two ways gets the earlier error', async (t, transport) => {
  const { ask } = await serve(t, transport, () => Promise.reject(new Error('the door was reached')));
  for (const [expected, bytes] of CASES) t.equal(errorType(await ask(bytes)), expected, bytes);
});
