import { gzipSync } from 'node:zlib';
import { type Test, test } from 'tap';
import type { TinyModelOptions } from '../../models/tiny/index.js';
import type { ContentEncoding } from '../../src/api/index.js';
import { NO_DIAGNOSTICS } from '../../src/decide/diagnostics.js';
import type { SentRequest } from '../../src/decide/index.js';
import { readManifest } from '../../src/engine/index.js';
import { PreparePool } from '../../src/server/prepare-pool.js';
import { WAITING_MAX } from '../../src/server/prepare-queue.js';
import { noisyJpeg } from '../support/images/jpeg.js';
import { scaled } from '../support/scale.js';
import { modelsFolder } from '../support/server.js';

const QUESTIONS = { q: { type: 'noul' } };

/** A pool of one thread of each kind. */
async function startPool(t: Test, model: TinyModelOptions = {}) {
  const models = modelsFolder(t.testdir(), model, {}, 'gemma4uv');
  const counted: SharedArrayBuffer[] = [];
  const setup = {
    backend: 'cpu',
    device: '',
    manifest: await readManifest(models),
    models,
    images: new Map(),
    verified: new Map(),
    cells: 131_072,
    joiners: new Map(),
    tokenCacheBytes: 1 << 20,
  } as const;
  const pool = new PreparePool(setup, {
    threads: 1,
    readsImages: true,
    countMemory: (memory) => counted.push(memory),
  });
  t.teardown(() => pool.close());
  await pool.ready();
  const prepare = async (
    request: object,
    encoding: ContentEncoding = 'identity',
    key = 'k',
    diagnostics: SentRequest['diagnostics'] = NO_DIAGNOSTICS,
  ) => {
    const text = Buffer.from(JSON.stringify(request));
    const result = await pool.prepare(
      {
        body: encoding === 'gzip' ? gzipSync(text) : text,
        content: { encoding, media: { kind: 'json' } },
        model: null,
        format: 'decide',
        allowedModels: null,
        diagnostics,
      },
      { workspace: 'w', key },
    );
    if (!result.ok) throw new Error(result.message);
    return result.plan.images.map(({ rgb }) => rgb.buffer);
  };
  return { pool, prepare, counted };
}

function showing(files: readonly Buffer[]) {
  const assets = Object.fromEntries(
    files.map((file, at) => [`pic${at}`, { format: 'jpeg', data_base64: file.toString('base64') }]),
  );
  return { state: Object.keys(assets).join(', '), questions: QUESTIONS, assets };
}

test('pixels received from a preparing thread are counted for every request that contains them', async (t) => {
  const { prepare, counted } = await startPool(t);
  const request = showing([await noisyJpeg(400, 300), await noisyJpeg(300, 400)]);
  const shown = [...(await prepare(request)), ...(await prepare(request))];
  t.equal(shown.length, 4);
  t.ok(shown.every((memory, at) => memory === counted[at]));
  t.equal(counted.length, 4);
});

test('a text of /v1/decisions that no prompt can have is not indented to its end', async (t) => {
  const { pool } = await startPool(t, { contextLength: 1_024 });
  const data = { values: Array(100_000).fill(1) };
  const questions = [{ type: 'predicate', instructions: [{ type: 'input_json', data }] }];
  const result = await pool.prepare(
    {
      body: Buffer.from(JSON.stringify({ model: 'tiny', input: 'x', questions })),
      content: { encoding: 'identity', media: { kind: 'json' } },
      model: null,
      format: 'decisions',
      allowedModels: null,
      diagnostics: NO_DIAGNOSTICS,
    },
    { workspace: 'w', key: 'k' },
  );
  if (!result.ok) throw new Error(result.message);
  const { length } = result.questions[0]?.instructions ?? '';
  t.ok(length > 0 && length < JSON.stringify(data, null, 2).length / 2);
  t.strictSame(result.plan.suffixes, [], 'the question is left out');
});

test('text requests do not wait for requests with images, compressed or not', async (t) => {
  const { prepare } = await startPool(t);
  const ended: string[] = [];
  const send = (name: string, request: object, encoding: ContentEncoding) =>
    prepare(request, encoding).then(() => ended.push(name));
  const images = showing([await noisyJpeg(1_568, 1_568), await noisyJpeg(1_568, 1_500)]);
  const text = { state: 'a text', questions: QUESTIONS };
  const all = [
    send('images', images, 'gzip'),
    send('images', images, 'identity'),
    send('text', text, 'gzip'),
    send('text', text, 'identity'),
  ];
  await Promise.all(all);
  t.strictSame(ended, ['text', 'text', 'images', 'images']);
});

test('text requests do not wait for large bodies, compressed or not', async (t) => {
  const { prepare } = await startPool(t);
  const ended: string[] = [];
  const send = (name: string, request: object, encoding: ContentEncoding) =>
    prepare(request, encoding).then(() => ended.push(name));
  // Compressed it has a few kilobytes, as a text may.
  const large = { state: 'a text', questions: QUESTIONS, ignored: Array(400_000).fill(1) };
  const text = { state: 'a text', questions: QUESTIONS };
  await Promise.all([
    send('large', large, 'gzip'),
    send('large', large, 'identity'),
    send('text', text, 'gzip'),
    send('text', text, 'identity'),
  ]);
  t.strictSame(ended, ['text', 'text', 'large', 'large']);
});

test('text requests do not wait for requests that are tokenized in many orders', async (t) => {
  const { prepare } = await startPool(t);
  const ended: string[] = [];
  const words = 'many words '.repeat(60);
  const criteria = Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`${at}`, words]));
  const long = { state: 'a text', questions: { c: { type: 'choice', criteria } } };
  const text = { state: 'a text', questions: QUESTIONS };
  const rotations = { ...NO_DIAGNOSTICS, optionRotations: 26 };
  const send = (name: string, request: object, diagnostics: SentRequest['diagnostics']) =>
    prepare(request, 'identity', 'k', diagnostics).then(() => ended.push(name));
  await Promise.all([
    send('rotated', long, rotations),
    send('rotated line', { ...long, option_rotations: 26 }, 'line'),
    send('text', text, NO_DIAGNOSTICS),
    send('line', text, 'line'),
  ]);
  t.strictSame(ended, ['text', 'line', 'rotated', 'rotated line']);
});

test('the limit of waiting requests of a key: one more is refused, and other keys are served', async (t) => {
  const { prepare } = await startPool(t);
  const text = { state: 'a text', questions: QUESTIONS };
  const ended: string[] = [];
  const send = (key: string) => prepare(text, 'identity', key).then(() => ended.push(key));
  const all = Array.from({ length: WAITING_MAX.key + 1 }, () => send('one'));
  await t.rejects(prepare(text, 'identity', 'one'), {
    type: 'overloaded',
    message: `The key has ${WAITING_MAX.key} requests waiting, which is the limit.`,
  } as never);
  await Promise.all([...all, send('other')]);
  t.ok(ended.indexOf('other') <= 2, 'it waits for one of them, or two');
});

/** From 500,000 characters on, the stack would overflow; `engine/long-texts` tests the bound. */
const PATTERNS = scaled({ short: 150_000, long: 300_000 });

test('long texts do not overflow the stack, for vocabularies that llama.cpp splits recursively', async (t) => {
  const text = (value: string) => ({ type: 'string' as const, value });
  // What an expression of each vocabulary matches as a whole.
  const matched = { 'gpt-4o': '\u0001!', 'exaone-moe': 'a ' };
  for (const [expressions, pattern] of Object.entries(matched)) {
    const metadata = { 'tokenizer.ggml.model': text('gpt2'), 'tokenizer.ggml.pre': text(expressions) };
    const { prepare } = await startPool(t, { metadata });
    t.strictSame(await prepare({ state: 'a'.repeat(20_000), questions: QUESTIONS }), []);
    const instructions = pattern.repeat(PATTERNS);
    const longest = { state: 'a', questions: { q: { type: 'noul', instructions } } };
    await t.rejects(prepare(longest), { message: /context window/ }, expressions);
  }
});
