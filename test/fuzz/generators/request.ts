import { mutateBytes } from '../../support/decide/mutations.js';
import type { Random } from '../../support/random.js';
import { BATCH, type Framing, type Request } from '../case.js';
import { batchFile, WEBHOOKS } from './batches.js';
import { oneIn, times, weighted } from './chance.js';
import { decisionsBody } from './decisions.js';
import { encode } from './encodings.js';
import { authorization, method, otherHeaders, target } from './heads.js';
import type { Corpus } from './images.js';
import { decision, jsonBytes } from './json.js';
import { multipart } from './multipart.js';

const TYPES = [
  '',
  'text/plain',
  'application/json;charset=utf-8',
  'application/x+json',
  'application/jsonl',
  'multipart/form-data',
  'APPLICATION/JSON ; x',
  'application/json, application/json',
];

/** A whole request: mostly one that gets as far as the body. */
export function generateRequest(random: Random, corpus: Corpus): Request {
  return weighted(random, [
    [60, () => decide(random, corpus)],
    [25, () => decisions(random, corpus)],
    [10, () => submit(random, corpus)],
    [8, () => askAboutBatches(random)],
    [12, () => aboutTasks(random, corpus)],
    [
      4,
      () =>
        bare(
          random,
          'GET',
          target(random, random.pick(['/v1/models', '/health', '/openapi.json', '/m/tiny/health'])),
        ),
    ],
    [8, () => ({ ...decide(random, corpus), method: method(random), target: target(random) })],
  ]);
}

function decide(random: Random, corpus: Corpus): Request {
  const files = new Map<string, Buffer>();
  const json = jsonBytes(random, decision(random, corpus, files));
  const inParts = files.size > 0 ? !oneIn(random, 6) : oneIn(random, 8);
  const whole = inParts ? multipart(random, json, files) : { body: json, type: 'application/json' };
  const type = oneIn(random, 30) ? random.pick(TYPES) : whole.type;
  const path = random.pick([
    '/v1/decide',
    '/v1/decide',
    '/v1/systemone',
    '/m/tiny/v1/decide',
    '/m/other-20260101/v1/systemone',
  ]);
  return withBody(random, target(random, path), whole.body, [['Content-Type', type]]);
}

function decisions(random: Random, corpus: Corpus): Request {
  const json = jsonBytes(random, decisionsBody(random, corpus));
  const type = oneIn(random, 30) ? random.pick(TYPES) : 'application/json';
  const path = random.pick(['/v1/decisions', '/v1/decisions', '/m/tiny/v1/decisions']);
  return withBody(random, target(random, path), json, [['Content-Type', type]]);
}

function submit(random: Random, corpus: Corpus): Request {
  const headers: [string, string][] = oneIn(random, 10)
    ? []
    : [['Content-Type', oneIn(random, 9) ? 'multipart/x' : random.pick(['application/jsonl', 'text/plain'])]];
  if (oneIn(random, 6)) headers.push(['Service-Webhook-Url', random.pick(WEBHOOKS)]);
  if (oneIn(random, 6))
    headers.push([
      'Idempotency-Key',
      random.pick(['', 'k', `k${random.integer(1e9)}`, 'x'.repeat(255), 'x'.repeat(256)]),
    ]);
  return withBody(random, target(random, '/v1/batches'), batchFile(random, corpus), headers);
}

function askAboutBatches(random: Random): Request {
  const [wanted, path] = random.pick([
    ['GET', '/v1/batches'],
    ['GET', `/v1/batches/${BATCH}`],
    ['GET', `/v1/batches/${BATCH}/results`],
    ['HEAD', `/v1/batches/${BATCH}/results`],
    ['POST', `/v1/batches/${BATCH}/cancel`],
    ['GET', `/v1/batches/${BATCH}/cancel`],
    ['GET', `/v1/batches/batch_${random.integer(1e9)}`],
  ] as const);
  return bare(random, wanted, target(random, path));
}

/** Names that tasks have, and that none can have. */
const TASK_NAMES = ['a', 'a', 'a', 'b:1', '...', '', '.', '..', 'a%2Fb', 'x'.repeat(64), 'x'.repeat(65)];

function aboutTasks(random: Random, corpus: Corpus): Request {
  const path = `/v1/tasks/${random.pick(TASK_NAMES)}`;
  const json = { 'Content-Type': oneIn(random, 30) ? random.pick(TYPES) : 'application/json' };
  const headers = Object.entries(json);
  return weighted(random, [
    [
      4,
      () => ({
        ...withBody(random, target(random, path), jsonBytes(random, task(random, corpus)), headers),
        method: 'PUT',
      }),
    ],
    [6, () => withBody(random, target(random, `${path}/decide`), taskState(random, corpus), headers)],
    [3, () => withBody(random, target(random, `${path}/labels`), labels(random, corpus), headers)],
    [2, () => bare(random, random.pick(['GET', 'HEAD', 'DELETE']), target(random, path))],
    [1, () => bare(random, 'GET', target(random, '/v1/tasks'))],
  ]);
}

/** The body of a task as a value. */
function task(random: Random, corpus: Corpus): Record<string, unknown> {
  const { questions, model } = decision(random, corpus, new Map());
  const body: Record<string, unknown> = { questions, ...(oneIn(random, 3) && { model }) };
  if (oneIn(random, 3)) body.target_error = random.pick<unknown>([0.05, 0.001, 0.5, 0, 1, null, '0.1', -0]);
  if (oneIn(random, 3)) body.confidence = random.pick<unknown>([0.95, 0.5, 0.999, 1, 0, null, []]);
  if (oneIn(random, 3))
    body.description = random.pick<unknown>(['d', null, 7, 'é'.repeat(1_024), 'x'.repeat(1_025)]);
  return body;
}

/** Lines with labels, which may be none. */
function labels(random: Random, corpus: Corpus): Buffer {
  const line = () => {
    const expected = random.pick<unknown>([
      { q: true },
      { q: 'a' },
      { q: 1 },
      { q: null },
      {},
      [],
      'x',
      JSON.parse('{"__proto__":true}'),
    ]);
    return weighted<Buffer>(random, [
      [3, () => jsonBytes(random, { request_id: `req_${'a'.repeat(24)}`, expected })],
      [2, () => jsonBytes(random, { batch_id: BATCH, custom_id: 'c', expected })],
      [
        2,
        () =>
          Buffer.from(
            JSON.stringify({ ...JSON.parse(JSON.stringify(decision(random, corpus, new Map()))), expected }),
          ),
      ],
      [1, () => Buffer.from(random.pick(['', ' ', '{', '[]', 'null', '\ufeff{}']))],
    ]);
  };
  const lines = times(1 + random.integer(oneIn(random, 30) ? 200 : 4), line);
  return Buffer.concat(lines.flatMap((each) => [each, Buffer.from(random.pick(['\n', '\r\n', '\n\n']))]));
}

function taskState(random: Random, corpus: Corpus): Buffer {
  const { questions, model, ...rest } = decision(random, corpus, new Map());
  return jsonBytes(random, oneIn(random, 8) ? { ...rest, questions, model } : rest);
}

function withBody(
  random: Random,
  path: string,
  plain: Buffer,
  own: readonly (readonly [string, string])[],
): Request {
  const { body, encoding } = encode(random, plain);
  const headers = [...own, ...authorization(random), ...otherHeaders(random)];
  if (encoding !== null) headers.push(['Content-Encoding', encoding]);
  const framing: Framing = oneIn(random, 60) ? random.pick(['chunked', 'none']) : 'length';
  return { method: 'POST', target: path, headers, body, framing, cuts: cuts(random, body.length + 200) };
}

function bare(random: Random, wanted: string, path: string): Request {
  const framing: Framing = oneIn(random, 6) ? 'length' : 'none';
  const body = Buffer.from(oneIn(random, 2) ? '' : '{"a":1}');
  return {
    method: wanted,
    target: path,
    headers: [...authorization(random), ...otherHeaders(random)],
    body,
    framing,
    cuts: [],
  };
}

/** Few requests come in more packets than one. */
const cuts = (random: Random, length: number): number[] =>
  oneIn(random, 20) ? times(1 + random.integer(3), () => random.integer(length)) : [];

const NOISE = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  ':',
  'Content-Length: 1\r\n',
  'Transfer-Encoding: chunked\r\n',
  '\r\n\r\n',
  '0\r\n\r\n',
  'Host: b\r\n',
  'HTTP/1.0',
  '\xff',
];

/** The bytes of requests, changed so that they may be none. No webhook is among them. */
export function mutateRaw(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  const head = Math.max(1, bytes.indexOf('\r\n\r\n'));
  for (let left = 1 + random.integer(3); left > 0 && changed.length > 0; left -= 1) {
    const at = random.integer(Math.min(changed.length, head));
    changed = oneIn(random, 2)
      ? mutateBytes(random, changed)
      : Buffer.concat([
          changed.subarray(0, at),
          Buffer.from(random.pick(NOISE), 'latin1'),
          changed.subarray(at),
        ]);
  }
  return changed;
}

export const rawCuts = cuts;
