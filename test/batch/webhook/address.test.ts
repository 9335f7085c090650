import { test } from 'tap';
import { type ApiError, LIMITS } from '../../../src/api/index.js';
import { checkWebhookAddress } from '../../../src/batch/index.js';
import { localGuard } from '../../support/batch/receiver.js';

/** The sentence an address is refused with; undefined where it is allowed. */
async function refusal(address: string): Promise<string | undefined> {
  const guard = localGuard({ resolve: async () => ['8.8.8.8'] });
  return checkWebhookAddress(address, guard).then(
    () => undefined,
    (error: ApiError) => `${error.type}: ${error.message}`,
  );
}

const OF_LENGTH = (codePoints: number, filling = 'x') => {
  const start = 'https://hooks.example.com/';
  return start + filling.repeat(codePoints - start.length);
};

test('valid addresses', async (t) => {
  const allowed = [
    'https://hooks.example.com',
    'https://hooks.example.com:8443/a/b?token=1&x',
    'HTTPS://hooks.example.com/',
    'https://hooks.example.com/%23?a=%40',
    'https://hooks.example.com/@user:password',
    OF_LENGTH(LIMITS.webhookAddressCodePoints),
    OF_LENGTH(LIMITS.webhookAddressCodePoints, '😀'),
  ];
  for (const address of allowed) t.equal(await refusal(address), undefined, address.slice(0, 60));
});

const REFUSED: readonly (readonly [address: string, says: string])[] = [
  ['http://hooks.example.com/', 'https'],
  ['ftp://hooks.example.com/', 'https'],
  ['wss://hooks.example.com/', 'https'],
  ['file:///etc/passwd', 'https'],
  ['data:text/plain,x', 'https'],
  ['https+http://hooks.example.com/', 'https'],
  ['https:hooks.example.com/', 'https://'],
  ['https:/hooks.example.com/', 'https://'],
  ['https:///hooks.example.com/', 'https://'],
  ['https:////hooks.example.com/', 'https://'],
  ['https:\\\\hooks.example.com/', 'https://'],
  ['https:/\\hooks.example.com/', 'https://'],
  ['https://\\hooks.example.com/', 'https://'],
  ['https:\t//hooks.example.com/', 'https://'],
  [' https://hooks.example.com/', 'https://'],
  ['\u0000https://hooks.example.com/', 'https://'],
  ['', 'URL'],
  ['hooks.example.com', 'URL'],
  ['//hooks.example.com/', 'URL'],
  ['https://', 'URL'],
  ['https://user@hooks.example.com/', 'user'],
  ['https://user:@hooks.example.com/', 'user'],
  ['https://:password@hooks.example.com/', 'user'],
  ['https://hooks.example.com@10.0.0.1/', 'user'],
  ['https://hooks.example.com/#', 'fragment'],
  ['https://hooks.example.com/?a#b', 'fragment'],
  ['https://hooks.example.com#@10.0.0.1/', 'fragment'],
  [OF_LENGTH(LIMITS.webhookAddressCodePoints + 1), '2,048'],
  [OF_LENGTH(LIMITS.webhookAddressCodePoints + 1, '😀'), '2,048'],
  [OF_LENGTH(1_000_000), '2,048'],
];

for (const [address, says] of REFUSED) {
  test(`${address.slice(0, 60)} is refused, and the error names ${says}`, async (t) => {
    const sentence = await refusal(address);
    t.match(sentence, 'invalid_webhook_url: `Service-Webhook-Url`');
    t.match(sentence, says);
    t.notMatch(sentence, 'hooks', 'the address itself is not repeated');
  });
}
