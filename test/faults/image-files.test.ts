// Batch files whose images take as long to decode as they may, for a model that reads images; none of them costs anything.
import { request } from 'node:http';
import { test } from 'tap';
import { startForCallers } from '../support/callers.js';
import { chunk, pngChunks, SIGNATURE } from '../support/images/png.js';
import { scaled } from '../support/scale.js';
import { modelsFolder } from '../support/server.js';

/** Different images of a file. */
const IMAGES = scaled({ short: 20, long: 60 });
/** Images of a file whose client disconnects long before all of them are decoded. */
const MANY_IMAGES = 500;
const QUESTIONS = { q: { type: 'noul' } };
const [HEAD, ...REST] = pngChunks({ width: 1_568, height: 1_568 });

const lineOf = (at: number, more: object = {}) =>
  JSON.stringify({
    custom_id: `l${at}`,
    model: 'tiny',
    state: `see pic ${at}`,
    questions: QUESTIONS,
    ...more,
  });

/** Its last line is invalid, so that the batch is refused when all images are decoded. */
function imageFile(name: string, count = IMAGES): string {
  const images = Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.concat([
      SIGNATURE,
      HEAD as Buffer,
      chunk('prVt', Buffer.from(`${name} ${at}`)),
      ...REST,
    ]);
    return lineOf(at, { assets: { pic: { format: 'png', data_base64: bytes.toString('base64') } } });
  });
  return [...images, '{'].join('\n');
}

test('files with images of six keys do not delay a file of another workspace', {
  timeout: 600_000,
}, async (t) => {
  const { caller } = await startForCallers(t, {
    DECIDER_MODELS: modelsFolder(t.testdir(), {}, {}, 'gemma4uv'),
  });
  const good = caller('good');
  t.equal((await good.post('/v1/batches', lineOf(0))).status, 200);
  let answered = 0;
  const attack = Promise.all(
    Array.from({ length: 6 }, async (_, at) => {
      const answer = await caller(`bad${at}`).post('/v1/batches', imageFile(`bad${at}`));
      answered += 1;
      return answer;
    }),
  );
  for (const at of [1, 2, 3]) {
    t.equal((await good.post('/v1/batches', lineOf(at))).status, 200);
    t.equal(answered, 0, `file ${at} is answered before all of the others`);
  }
  for (const { status, body } of await attack) {
    t.equal(status, 422);
    t.match(JSON.parse(body), { invalid_lines: 1 });
  }
});

test('a file is not checked further when its client has disconnected', { timeout: 600_000 }, async (t) => {
  const { caller, port } = await startForCallers(t, {
    DECIDER_MODELS: modelsFolder(t.testdir(), {}, {}, 'gemma4uv'),
  });
  const [good, bad] = [caller('good'), caller('bad')];
  t.equal((await good.post('/v1/batches', lineOf(0))).status, 200);
  const file = imageFile('bad', MANY_IMAGES).slice(0, -2);
  const headers = { authorization: `Bearer ${bad.token}`, 'content-length': String(file.length) };
  const sending = request({
    port,
    host: '127.0.0.1',
    agent: false,
    method: 'POST',
    path: '/v1/batches',
    headers,
  });
  sending.on('error', () => {}).end(file);
  await new Promise((resolve) => sending.once('finish', resolve));
  t.equal((await good.post('/v1/batches', lineOf(1))).status, 200);
  sending.destroy();
  t.equal((await bad.post('/v1/batches', lineOf(2))).status, 200);
  const { data } = JSON.parse((await bad.get('/v1/batches')).body) as { data: unknown[] };
  t.equal(data.length, 1, 'the first file is no batch');
});
