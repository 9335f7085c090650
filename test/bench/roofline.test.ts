import { test } from 'tap';
import type { ModelDescription, Plan } from '../../src/engine/index.js';
import { deviceNamed, leastSeconds, operations } from '../../src/tuning/index.js';

const plan = (prefix: number, ...suffixes: number[]): Plan => ({
  prefix: new Int32Array(prefix),
  prefixKey: '',
  images: [],
  suffixes: suffixes.map((count) => ({ tokens: new Int32Array(count), options: new Int32Array(2) })),
});

const model = {
  sizeBytes: 2_000,
  parameters: 1_100,
  vocabularySize: 10,
  embeddingLength: 10,
  layers: 2,
  slidingWindow: 0,
  metadata: { 'general.architecture': 'a', 'a.attention.head_count': '3', 'a.attention.key_length': '5' },
} as unknown as ModelDescription;

test('operations: weights per unique token, attention per visible token, the output per answer', async (t) => {
  const visible = 1 + 2 + 3 + 4 + (4 + 5);
  const attention = 4 * 2 * 3 * 5 * visible;
  t.equal(operations([plan(3, 1, 2)], model), 2 * 1_000 * 6 + attention + 2 * 100 * 2);
});

test('a sliding window bounds what a token sees', async (t) => {
  const windowed = { ...model, slidingWindow: 2 };
  t.equal(operations([plan(3, 1)], windowed), 2 * 1_000 * 4 + 4 * 2 * 3 * 5 * (1 + 2 + 2 + 2) + 200);
});

test('the bound is the slower of computing and reading the weights', async (t) => {
  const plans = [plan(3, 1, 2)];
  t.equal(leastSeconds(plans, model, { peak: 1e12, bandwidth: 1_000 }), 2);
  t.equal(leastSeconds(plans, model, { peak: 1, bandwidth: 1e12 }), operations(plans, model));
});

test('devices by name', async (t) => {
  t.equal(deviceNamed('NVIDIA H200')?.bandwidth, 4.8e12);
  t.equal(deviceNamed('something else'), null);
});
