import { request } from '../support/http/raw-client.js';
import { errorType, onBoth, serve } from '../support/http/serving.js';

const brotli = { 'Content-Encoding': 'br' };
const mixed = { 'Content-Type': 'multipart/mixed' };
const huge = { 'Content-Length': '99999999' };
const unannounced = { 'Content-Length': null };

/** Requests wrong in two ways or more, and the error that comes first. */
const CASES: readonly (readonly [expected: string, bytes: string])[] = [
  ['invalid_request', request('POST', '/nowhere', '{}', { 'Content-Length': '2\r\nContent-Length: 2' })],
  ['not_found', request('DELETE', '/nowhere', '{}', { ...huge, ...brotli, ...mixed })],
  ['not_found', request('POST', '/nowhere', '', unannounced)],
  ['method_not_allowed', request('PUT', '/v1/decide', '{}', { ...huge, ...brotli, ...mixed })],
  ['method_not_allowed', request('PUT', '/v1/decide', '', unannounced)],
  ['length_required', request('POST', '/v1/decide', '', { ...unannounced, ...brotli, ...mixed })],
  ['body_too_large', request('POST', '/v1/decide', '{}', { ...huge, ...brotli, ...mixed })],
  ['body_too_large', request('POST', '/v1/decide', '{}', { ...huge, ...mixed })],
  ['unsupported_encoding', request('POST', '/v1/decide', '{}', { ...brotli, ...mixed })],
  ['unsupported_media_type', request('POST', '/v1/decide', 'not json', mixed)],
];

onBoth('a request with two errors gets the earlier one', async (t, transport) => {
  const { ask } = await serve(t, transport, () => Promise.reject(new Error('the app was reached')));
  for (const [expected, bytes] of CASES) t.equal(errorType(await ask(bytes)), expected, bytes);
});
