// Mixed load on each transport. A run of five minutes or more (`MINUTES=15`) also checks that memory stays flat; in a
// shorter one the process is still warming up.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import tap, { test } from 'tap';
import { openStore, reconcile } from '../../src/storage/folder/index.js';
import { decider } from '../support/cli.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { mean } from '../support/memory.js';
import { memoryOf } from '../support/process-memory.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';

const MINUTES = scaled({ short: 0.05, long: 0.2 }, 'MINUTES');
/** A run of this length or longer is checked for growth. */
const FLAT_MINUTES_MIN = 5;
const CLIENTS = 6;
const SAMPLE_MS = 1_000;
const PROGRESS_MS = 60_000;
/** The mean of the last third may exceed the mean of the second third by this much. */
const GROWTH_BYTES_MAX = 32 * 2 ** 20;
const BATCH_LINES_MAX = 60;
const POLL_MS = 100;
/** One batch in so many is followed by a listing, which grows with the run. */
const LIST_EVERY = 20;

interface Target {
  readonly url: string;
  readonly token: string;
  readonly next: Random;
  readonly image: string;
  /** Unexpected outcomes, as `case: status type`. */
  readonly surprises: Map<string, number>;
  /** All outcomes, in the same form. */
  readonly outcomes: Map<string, number>;
}

const count = (into: Map<string, number>, name: string) => into.set(name, (into.get(name) ?? 0) + 1);
const QUESTION = { type: 'choice', instructions: 'Which team?', criteria: ['billing', 'technical', 'sales'] };

async function call(target: Target, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${target.token}`, ...init.headers };
  return fetch(target.url + path, { ...init, headers });
}

/** Records the outcome, and returns the parsed body. */
async function expectStatus(target: Target, name: string, response: Response, expected: readonly number[]) {
  const body = (await response.json()) as Record<string, unknown>;
  const outcome = `${name}: ${response.status} ${body.type ?? ''}`.trim();
  count(target.outcomes, outcome);
  if (!expected.includes(response.status)) count(target.surprises, outcome);
  return body;
}

const post = (body: string | Uint8Array, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
});

function decision({ next, image }: Target): string {
  const count = 1 + next.integer(16);
  const questions = Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, QUESTION]));
  const words = 'the parcel was lost '.repeat(next.integer(100));
  const kind = next.integer(10);
  if (kind === 0) {
    const assets = { photo: { type: 'image', format: 'png', data_base64: image } };
    return JSON.stringify({
      state: `See photo. ${words}`,
      questions: { q: QUESTION },
      assets,
      image_budget: 70,
    });
  }
  return JSON.stringify({ state: kind < 5 ? words : { words, kind, list: [1, null, true] }, questions });
}

async function live(target: Target): Promise<void> {
  const body = decision(target);
  const zipped = target.next.integer(4) === 0;
  const init = zipped ? post(gzipSync(body), { 'content-encoding': 'gzip' }) : post(body);
  await expectStatus(target, 'live', await call(target, '/v1/decide', init), [200, 503]);
}

async function refused(target: Target): Promise<void> {
  const bodies = ['{', '[]', '{"state":1}', '{"state":1,"questions":{}}', `"${'x'.repeat(1e6)}"`];
  const response = await call(target, '/v1/decide', post(target.next.pick(bodies)));
  await expectStatus(target, 'refused', response, [400, 422]);
}

async function unauthorized(target: Target): Promise<void> {
  const response = await fetch(`${target.url}/v1/batches`, { headers: { authorization: 'Bearer dk_none' } });
  await expectStatus(target, 'unauthorized', response, [401]);
}

/** Sends part of a request, then closes the connection. */
async function aborted(target: Target): Promise<void> {
  const body = decision(target);
  const socket = connect(Number(new URL(target.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /v1/decide HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, target.next.integer(body.length + 1))}`,
  );
  await sleep(target.next.integer(50));
  socket.destroy();
  count(target.outcomes, 'aborted');
}

async function batch(target: Target): Promise<void> {
  const { next } = target;
  const lines = Array.from({ length: 1 + next.integer(BATCH_LINES_MAX) }, (_, at) => {
    const line = { custom_id: `c${at}`, model: 'tiny', state: `case ${at}`, questions: { q: QUESTION } };
    return JSON.stringify(line);
  });
  const init = post(lines.join('\n'), { 'content-type': 'application/jsonl' });
  const submitted = await expectStatus(
    target,
    'submit',
    await call(target, '/v1/batches', init),
    [200, 429, 503],
  );
  if (submitted.id === undefined) return;
  const path = `/v1/batches/${submitted.id}`;
  if (next.integer(5) === 0) {
    const cancel = await call(target, `${path}/cancel`, { method: 'POST' });
    await expectStatus(target, 'cancel', cancel, [200, 409]);
  }
  for (;;) {
    const shown = await expectStatus(target, 'status', await call(target, path, {}), [200]);
    if (shown.results_available !== false) break;
    await sleep(POLL_MS);
  }
  const results = await (await call(target, `${path}/results`, {})).text();
  const found = results.trimEnd().split('\n').length;
  count(found === lines.length ? target.outcomes : target.surprises, `results: ${found === lines.length}`);
  if (next.integer(LIST_EVERY) === 0) {
    await expectStatus(target, 'list', await call(target, '/v1/batches', {}), [200]);
  }
}

const CASES = [live, live, live, live, live, live, refused, unauthorized, aborted, batch] as const;

/** The start, the last calls and the end take minutes on a busy machine. */
const TEST_MS_MAX = MINUTES * 60_000 + 540_000;
// Of the file, where it runs without the test runner.
tap.setTimeout(2 * TEST_MS_MAX);

for (const transport of TRANSPORTS) {
  test(`${MINUTES} minutes of mixed load (${transport})`, {
    timeout: TEST_MS_MAX,
  }, async (t) => {
    const seed = seedFromEnvironment();
    t.comment(`TEST_SEED=${seed}`);
    const next = random(seed);
    const data = dataFolder(t);
    const server = decider(t, ['serve'], {
      DECIDER_PORT: '0',
      DECIDER_DATA: data,
      DECIDER_MODELS: modelsFolder(t.testdir(), {}, {}, 'gemma4uv'),
      DECIDER_ENGINE_BACKEND: 'cpu',
      DECIDER_HTTP_TRANSPORT: transport,
      DECIDER_LOG_LEVEL: 'error',
    });
    const token = (await server.line(/^token: /)).slice('token: '.length);
    const url = (await server.line(/^listening on /)).slice('listening on '.length);
    const gray = { width: 280, height: 280, channels: 3 as const, background: '#888' };
    const image = (await sharp({ create: gray }).png().toBuffer()).toString('base64');
    const target: Target = { url, token, next, image, surprises: new Map(), outcomes: new Map() };
    const end = performance.now() + MINUTES * 60_000;
    const client = async () => {
      while (performance.now() < end) await next.pick(CASES)(target);
    };
    const samples: number[] = [];
    const memory = process.platform === 'linux' ? memoryOf(server.child.pid as number) : undefined;
    const watch = async () => {
      let progress = performance.now() + PROGRESS_MS;
      while (performance.now() < end) {
        if (memory !== undefined) samples.push(memory.own());
        if (performance.now() > progress) {
          progress += PROGRESS_MS;
          const total = [...target.outcomes.values()].reduce((sum, each) => sum + each, 0);
          t.comment(`${total} calls, ${Math.round((samples.at(-1) ?? 0) / 2 ** 20)} MiB`);
        }
        await sleep(SAMPLE_MS);
      }
    };
    await Promise.all([...Array.from({ length: CLIENTS }, client), watch()]);

    t.comment(JSON.stringify(Object.fromEntries(target.outcomes)));
    t.strictSame(Object.fromEntries(target.surprises), {}, 'every call ended as expected');
    t.ok((target.outcomes.get('live: 200') ?? 0) > 0, 'live requests were answered');
    const third = Math.floor(samples.length / 3);
    const growth = mean(samples.slice(2 * third)) - mean(samples.slice(third, 2 * third));
    t.comment(`memory: the last third is ${(growth / 2 ** 20).toFixed(1)} MiB above the second`);
    if (MINUTES >= FLAT_MINUTES_MIN) t.ok(growth <= GROWTH_BYTES_MAX, 'memory is flat');
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.end();
    t.equal(code, 0);
    t.equal(stderr, '', 'no error was logged');
    const store = openStore(data);
    t.strictSame(reconcile(store).problems, [], 'the ledger adds up');
    await store.close();
  });
}
