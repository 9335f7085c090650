import { test } from 'tap';
import { jpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';
import { dataFolder, modelsFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const server = shared((t) => startTestServer(t, {}, modelsFolder(dataFolder(t), {}, {}, 'gemma4uv')));
const blind = shared((t) => startTestServer(t));

const url = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;
const part = (image_url: string, more: object = {}) => ({ type: 'input_image', image_url, ...more });
const text = (value: string) => ({ type: 'input_text', text: value });
const user = (...content: object[]) => [{ role: 'user', content }];
const ask = (input: unknown, instructions: unknown = 'Is it a cat?') => ({
  model: 'tiny',
  input,
  questions: [{ type: 'predicate', instructions }],
});
const SQUARE = png({ width: 300, height: 300 });

/** Tokens of a request, and what refused it. */
async function send(body: object) {
  const { ask: post } = await server();
  const { usage, error } = await post(body, '/v1/decisions');
  return { tokens: usage?.input_tokens as number, error };
}

test('an image alone is read as on /v1/decide, with the same tokens', async (t) => {
  const { ask: post } = await server();
  const asset = { format: 'png', data_base64: png({ width: 560, height: 560 }).toString('base64') };
  const decided = await post({
    state: 'img',
    questions: { q: { type: 'noul', instructions: 'Is it a cat?' } },
    assets: { img: asset },
  });
  const { tokens, error } = await send(ask(user(part(url(png({ width: 560, height: 560 }))))));
  t.equal(error, undefined);
  t.equal(tokens, decided.usage.input_tokens);
});

test('detail low takes fewer tokens; every use costs', async (t) => {
  const [none, low, high, twice] = await Promise.all(
    [
      [text('a'), text('b')],
      [text('a'), text('b'), part(url(SQUARE), { detail: 'low' })],
      [text('a'), text('b'), part(url(SQUARE), { detail: 'high' })],
      [text('a'), text('b'), part(url(SQUARE)), part(url(SQUARE))],
    ].map((parts) => send(ask(user(...parts)))),
  );
  const cost = (sent: typeof none) => (sent?.tokens ?? 0) - (none?.tokens ?? 0);
  t.ok(cost(low) > 10 && cost(low) <= 70 + 10, `${cost(low)}`);
  t.ok(cost(high) > 70 && cost(high) <= 280 + 10, `${cost(high)}`);
  t.ok(cost(twice) > 1.9 * cost(high));
});

test('images of any size are read: small, large and JPEG, also in instructions and in outputs of tools', async (t) => {
  for (const bytes of [png({ width: 1, height: 1 }), png({ width: 2_000, height: 1_700 }), await jpeg()]) {
    const { tokens, error } = await send(ask(user(part(url(bytes, 'webp')))));
    t.equal(error, undefined);
    t.ok(tokens > 0);
  }
  t.equal((await send(ask('x', [text('Is this'), part(url(SQUARE)), text('a cat?')]))).error, undefined);
  const call = { type: 'function_call', call_id: 'c', name: 'photo', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: [part(url(SQUARE))] };
  t.equal((await send(ask([...user(text('a')), call, output]))).error, undefined);
});

test('an image that cannot be read is named by its place', async (t) => {
  const broken = Buffer.from(SQUARE);
  broken.fill(0, 60, 80);
  const place = 'input[0].content[1].image_url';
  for (const [sent, code] of [
    [url(broken), 'invalid_image'],
    [url(SQUARE.subarray(0, 50)), 'invalid_image'],
    [`${url(SQUARE)}!`, 'invalid_image'],
    [url(Buffer.from('RIFF____WEBPVP8 ')), 'unsupported_image_format'],
    [url(png({ width: 5_000, height: 100 })), 'image_dimensions'],
    [url(Buffer.alloc(0)), 'invalid_image'],
  ] as const) {
    const { error } = await send(ask(user(part(url(SQUARE)), part(sent))));
    t.match(error, { code, param: place, type: 'invalid_request_error' }, sent.slice(0, 60));
    t.notMatch(error.message, /data_base64|asset/, 'in words of this interface');
  }
  const { error } = await send(ask('x', [text('a'), part(url(broken))]));
  t.match(error, { code: 'invalid_image', param: 'questions[0].instructions[1].image_url' });
});

test('a model that reads no images refuses them, after what is wrong with them', async (t) => {
  const { ask: post } = await blind();
  const refused = async (image: string) =>
    (await post(ask(user(text('a'), part(image))), '/v1/decisions')).error;
  t.match(await refused(url(SQUARE)), {
    code: 'images_not_supported',
    param: 'input[0].content[1].image_url',
  });
  t.match(await refused(url(SQUARE.subarray(0, 50))), { code: 'invalid_image' });
});
