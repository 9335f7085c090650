import { test } from 'tap';
import type { Content } from '../../src/api/index.js';
import { PreparePool } from '../../src/server/prepare-pool.js';
import { modelsFolder } from '../helpers/server.js';
import { noisyJpeg } from '../images/jpeg.js';

const JSON_BODY: Content = { encoding: 'identity', media: { kind: 'json' } };

test('the pixels that come from a preparing thread are counted, with every request that shows them', async (t) => {
  const models = modelsFolder(t.testdir(), {}, {}, 'gemma4uv');
  const counted: SharedArrayBuffer[] = [];
  const setup = { backend: 'cpu', device: '', models, cells: 8_192 } as const;
  const pool = new PreparePool(setup, 1, undefined, (memory) => counted.push(memory));
  t.teardown(() => pool.close());
  await pool.ready();
  const files = [await noisyJpeg(400, 300), await noisyJpeg(300, 400)];
  const assets = Object.fromEntries(
    files.map((file, at) => [`pic${at}`, { format: 'jpeg', data_base64: file.toString('base64') }]),
  );
  const request = { state: 'pic0 and pic1', questions: { q: { type: 'noul' } }, assets };
  const prepare = async () => {
    const body = Buffer.from(JSON.stringify(request));
    const result = await pool.prepare({
      body,
      content: JSON_BODY,
      model: null,
      unknownModel: 'refuse',
      allowedModels: null,
    });
    if (!result.ok) throw new Error(result.message);
    return result.plan.images.map(({ rgb }) => rgb.buffer);
  };
  const shown = [...(await prepare()), ...(await prepare())];
  t.equal(shown.length, 4);
  t.ok(shown.every((memory, at) => memory === counted[at]));
  t.equal(counted.length, 4);
});
