import { test } from 'tap';
import { decider } from '../support/cli.js';
import { jpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';
import { memoryOf } from '../support/process-memory.js';
import { modelsFolder } from '../support/server.js';

/** 572 MiB were measured. Three of the files take 270 to 340 MiB each, and the decoder holds them whole: one at a time. */
const ABOVE_IDLE_BYTES_MAX = 700 * 1024 * 1024;
const SIDES = { width: 8_000, height: 5_000 };
const DEEP = { type: 6, depth: 16, pixel: [200, 200, 100, 100, 50, 50, 3, 3] };

const only = process.platform === 'linux' ? {} : { skip: 'reads /proc' };

test('images of 40 megapixels sent to a server at once: memory stays bounded', only, async (t) => {
  const server = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(t.testdir(), {}, {}, 'gemma4uv'),
    DECIDER_PREPARE_THREADS: '4',
    DECIDER_ENGINE_BACKEND: 'cpu',
  });
  const token = (await server.line(/^token: /)).slice('token: '.length);
  const url = (await server.line(/^listening on /)).slice('listening on '.length);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (bytes: Buffer) => {
    const image_url = `data:image/png;base64,${bytes.toString('base64')}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    const questions = [{ type: 'predicate', instructions: 'Is it?' }];
    const body = JSON.stringify({ model: 'tiny', input, questions });
    const { status } = await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body });
    t.equal(status, 200);
  };
  const interlaced = png({ ...SIDES, samples: DEEP, interlaced: true });
  const files = [
    interlaced,
    // Another file: one that was read is kept.
    Buffer.concat([interlaced, Buffer.from('behind its end')]),
    await jpeg({ ...SIDES, progressive: true }),
    png({ ...SIDES, samples: DEEP }),
  ];
  for (let round = 0; round < 4; round += 1) await send(png({ width: 1_500, height: 1_500 }));
  const memory = memoryOf(server.child.pid as number);
  const idle = memory.now();
  memory.forgetPeak();
  await Promise.all(files.map(send));
  const above = memory.peak() - idle;
  t.ok(above <= ABOVE_IDLE_BYTES_MAX, `${Math.round(above / 2 ** 20)} MiB above idle`);
  t.comment(`${Math.round(above / 2 ** 20)} MiB above idle of ${Math.round(idle / 2 ** 20)} MiB`);
});
