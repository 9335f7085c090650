// One caller sends what takes as long to read as the limits allow, and another one's requests go on.
import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { median, startForCallers, type TestCaller } from '../support/callers.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { scaled } from '../support/scale.js';

/** Costly bodies sent concurrently. */
const BODIES = scaled({ short: 4, long: 5 }, 'BODIES');
/** Batch files sent concurrently, and the mebibytes of each. */
const FILES = scaled({ short: 4, long: 6 }, 'FILES');
const FILE_MIB = scaled({ short: 1, long: 2 }, 'FILE_MIB');
const QUESTIONS = { q: { type: 'choice', criteria: ['a', 'b', 'c'] } };
const ALONE = 10;

/** An object with as many different keys as a body may have besides its own. */
const keys = (name: string) =>
  Object.fromEntries(Array.from({ length: LIMITS.jsonKeys - 10 }, (_, at) => [`${name} ${at}`, at % 10]));

/** All that a body may be: different keys, objects, then texts. None is answered: all of them are free. */
function costlyBody(): Buffer {
  const objects = Object.entries(keys('k')).map(([key, value]) => ({ [key]: value }));
  const texts = Array.from({ length: LIMITS.jsonValues - 2 * LIMITS.jsonKeys }, (_, at) => `t ${at}`);
  return Buffer.from(JSON.stringify({ state: [objects, texts], questions: {} }));
}

const text = (at: number) => JSON.stringify({ state: `the text ${at}`, questions: QUESTIONS });

/** Texts of one caller, one after the other, until what another one does has ended. */
async function askUntil(caller: TestCaller, ended: () => boolean) {
  const times: number[] = [];
  const statuses = new Set<number>();
  do {
    const start = performance.now();
    statuses.add((await caller.post('/v1/decide', text(times.length))).status);
    times.push(performance.now() - start);
  } while (!ended());
  return { times, statuses: [...statuses] };
}

for (const transport of TRANSPORTS) {
  for (const encoding of ['identity', 'gzip'] as const) {
    test(`${BODIES} costly bodies of one key, ${encoding}, do not delay other keys (${transport})`, {
      timeout: 600_000,
    }, async (t) => {
      const { caller } = await startForCallers(t, { DECIDER_HTTP_TRANSPORT: transport });
      const [bad, good] = [caller('bad'), caller('good')];
      const body = encoding === 'gzip' ? gzipSync(costlyBody()) : costlyBody();
      const headers: Record<string, string> = encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {};
      let left = ALONE;
      const alone = await askUntil(good, () => --left === 0);
      let answered = 0;
      const sendOne = async () => {
        const answer = await bad.post('/v1/decide', body, headers);
        answered += 1;
        return answer;
      };
      const attack = Promise.all(Array.from({ length: BODIES }, sendOne));
      // The first is answered, so that all others wait.
      while (answered === 0) await good.get('/v1/batches');
      const before = answered;
      await good.post('/v1/decide', text(-1));
      t.ok(answered - before < BODIES / 2, `a text waits for ${answered - before} of them`);
      const beside = await askUntil(good, () => answered === BODIES);
      t.strictSame(beside.statuses, [200]);
      for (const { status } of await attack) t.ok([422, 503].includes(status), String(status));
      t.comment(
        `text: median ${median(alone.times).toFixed(1)} ms alone; beside ${median(beside.times).toFixed(1)} ms, ` +
          `at most ${Math.max(...beside.times).toFixed(1)} ms (${beside.times.length})`,
      );
    });
  }
}

/** Lines that are valid, of which each takes as long to read as it may, and of another form than the one before. */
function costlyFile(mebibytes: number): Buffer {
  const lines: string[] = [];
  for (let bytes = 0; bytes < mebibytes * 2 ** 20; bytes += lines.at(-1)?.length ?? 0) {
    const state = Object.entries(keys(`k${lines.length}`)).map(([key, value]) => ({ [key]: value }));
    lines.push(JSON.stringify({ custom_id: `l${lines.length}`, model: 'tiny', state, questions: QUESTIONS }));
  }
  return Buffer.from(lines.join('\n'));
}

const shortFile = (at: number) =>
  JSON.stringify({ custom_id: `c${at}`, model: 'tiny', state: 'x', questions: QUESTIONS });

test(`${FILES} costly batch files of one key do not delay other keys`, {
  timeout: 600_000,
}, async (t) => {
  const { caller } = await startForCallers(t, {});
  const [bad, good] = [caller('bad'), caller('good')];
  const file = costlyFile(FILE_MIB);
  t.equal((await good.post('/v1/batches', shortFile(0))).status, 200);
  let answered = 0;
  const submit = async () => {
    const answer = await bad.post('/v1/batches', file);
    answered += 1;
    return answer;
  };
  const attack = Promise.all(Array.from({ length: FILES }, submit));
  const start = performance.now();
  const statuses: number[] = [];
  for (let at = 1; at <= 3; at += 1) statuses.push((await good.post('/v1/batches', shortFile(at))).status);
  const ms = (performance.now() - start) / 3;
  t.strictSame(statuses, [200, 200, 200], 'there is room for them');
  t.ok(answered < FILES, `they are read before all of the others: after ${answered} of ${FILES}`);
  const beside = await askUntil(good, () => answered === FILES);
  t.strictSame(beside.statuses, [200]);
  for (const { status } of await attack) t.ok([200, 429, 503].includes(status), String(status));
  t.comment(
    `a file of one line: ${ms.toFixed(1)} ms; text: median ${median(beside.times).toFixed(1)} ms, ` +
      `at most ${Math.max(...beside.times).toFixed(1)} ms (${beside.times.length})`,
  );
});
