import { METHODS } from 'node:http';
import type { Random } from '../../support/random.js';
import { BATCH, TOKEN } from '../case.js';
import { oneIn, times, weighted } from './chance.js';

const PATHS = [
  '/v1/decide',
  '/v1/systemone',
  '/v1/batches',
  `/v1/batches/${BATCH}`,
  `/v1/batches/${BATCH}/results`,
  `/v1/batches/${BATCH}/cancel`,
  '/v1/batches/batch_000000000000000000000000',
  '/v1/batches/..%2f/results',
  '/v1/models',
  '/health',
  '/openapi.json',
  '/m/tiny/v1/decide',
  '/m/other-20260101/v1/systemone',
  '/m/none/v1/decide',
  '/m/tiny/v1/batches',
  '/m/tiny/v1/models',
  '/m/tiny/health',
  '/metrics',
  '/',
];

/** The target of a path, now and then changed. */
export function target(random: Random, path: string = random.pick(PATHS)): string {
  if (!oneIn(random, 12)) return path;
  const at = random.integer(path.length);
  return weighted(random, [
    [2, () => `${path}?${random.pick(['', 'a=b', 'x'.repeat(2_000), '%', '?', '#'])}`],
    [1, () => `${path.slice(0, at + 1)}/${path.slice(at + 1)}`],
    [1, () => `${path}/`],
    [1, () => path.replace('/', '//')],
    [
      1,
      () =>
        `${path.slice(0, at + 1)}${random.pick(['%00', '%2f', '..', ';', '~', '{', '"', '%e9'])}${path.slice(at + 1)}`,
    ],
    [1, () => path.toUpperCase()],
    [1, () => path.slice(0, at + 1)],
    [1, () => `/m/${'m'.repeat(random.pick([1, 300, 3_000]))}${path}`],
  ]);
}

const KNOWN = METHODS.filter((method) => method !== 'CONNECT');
export const method = (random: Random): string =>
  random.pick([
    'GET',
    'POST',
    'HEAD',
    'OPTIONS',
    'PUT',
    'DELETE',
    'CONNECT',
    'get',
    'FOO',
    random.pick(KNOWN),
  ]);

const AUTHORIZATIONS = [
  '',
  'Bearer',
  `Basic ${TOKEN}`,
  `bearer  ${TOKEN}`,
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(0, -1)}`,
  `Bearer ${TOKEN} ${TOKEN}`,
  `Bearer dk_${'0'.repeat(40)}`,
  `Bearer ${'x'.repeat(2_000)}`,
  'Bearer \xe9\xff',
];

type Headers = [name: string, value: string][];

/** With the token, mostly. */
export function authorization(random: Random): Headers {
  if (!oneIn(random, 30)) return [['Authorization', `Bearer ${TOKEN}`]];
  return times(random.pick([0, 1, 1, 1, 2]), () => ['authorization', random.pick(AUTHORIZATIONS)]);
}

const VALUES = ['', ' ', 'x', '\t', '\xff', '"', 'x'.repeat(3_000), '0', '-1', 'a, b;c="d\\"'];
const NAMES = [
  'X',
  'Accept',
  'Accept-Encoding',
  'Cookie',
  'Connection',
  'Keep-Alive',
  'Upgrade',
  'TE',
  'Trailer',
  'Range',
  'If-None-Match',
  'X-Forwarded-For',
  'X-Request-Id',
  'Content-Type',
  'Content-Encoding',
  'Content-Disposition',
  '!#$%&*+.^_`|~',
];

/** Header fields that no rule needs, within the limits of both transports on size and number. */
export function otherHeaders(random: Random): Headers {
  if (!oneIn(random, 8)) return [];
  return weighted<Headers>(random, [
    [4, () => times(1 + random.integer(2), () => [random.pick(NAMES), random.pick(VALUES)])],
    [1, () => [['Connection', random.pick(['close', 'keep-alive', 'Close, x', 'Upgrade', 'x'])]]],
    [1, () => [['Expect', random.pick(['100-continue', '100-Continue', 'wonders'])]]],
    [1, () => times(random.pick([20, 80]), (index) => [`X-${index}`, 'y'])],
  ]);
}
