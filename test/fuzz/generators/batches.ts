import { mutateBytes } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { oneIn, times, weighted } from './chance.js';
import type { Corpus } from './images.js';
import { decision } from './json.js';

/** Once in so many files one has more lines than are taken. */
const TOO_MANY_LINES_ONE_IN = 3_000;
const IDS = ['a', 'A.b:c-d_1', 'x'.repeat(64), 'x'.repeat(65), '', 'é', 'a b', 7, null];

/** A batch file, valid or nearly. */
export function batchFile(random: Random, corpus: Corpus): Buffer {
  if (oneIn(random, TOO_MANY_LINES_ONE_IN)) return Buffer.from('{}\n'.repeat(50_001));
  const lines = times(random.pick([1, 1, 2, 3, 5, 0]), (index) => line(random, corpus, index));
  const ending = random.pick(['\n', '\n', '\n', '\r\n', '\r', '\n\n', '\n \n']);
  const source = lines.join(ending) + random.pick(['', '\n']);
  const bytes = Buffer.from(oneIn(random, 12) ? `\ufeff${source}` : source);
  return oneIn(random, 6) && bytes.length > 0 ? mutateBytes(random, bytes) : bytes;
}

function line(random: Random, corpus: Corpus, index: number): string {
  return weighted(random, [
    [
      6,
      () =>
        JSON.stringify({
          custom_id: `line-${index}`,
          model: random.pick(['tiny', 'slow']),
          state: 'x',
          questions: { q: { type: 'noul' } },
        }),
    ],
    [
      3,
      () =>
        JSON.stringify({
          custom_id: oneIn(random, 3) ? random.pick(IDS) : `l${index}`,
          model: 'other',
          ...decision(random, corpus, new Map()),
        }),
    ],
    [
      1,
      () =>
        random.pick([
          '{}',
          '[]',
          'null',
          '{',
          '1',
          '"x"',
          '{"custom_id":"a"}',
          '\0',
          '{"custom_id":"a","custom_id":"b"}',
        ]),
    ],
  ]);
}

/**
 * Addresses of webhooks. The check refuses all of them, and none is changed afterwards, so that no call is made.
 */
export const WEBHOOKS = [
  'https://127.0.0.1/hook',
  'https://10.0.0.1:8443/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'http://127.0.0.1/',
  'https://user:pass@127.0.0.1/',
  'https://127.0.0.1/#fragment',
  'https://localhost/',
  'https://0x7f000001/',
  'https://169.254.169.254/latest',
  `https://127.0.0.1/${'x'.repeat(2_048)}`,
  'https://',
  'ftp://127.0.0.1',
  '',
  'javascript:x',
];
