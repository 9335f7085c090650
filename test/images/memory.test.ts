import { test } from 'tap';
import { ERRORS } from '../../src/api/index.js';
import { decider } from '../support/cli.js';
import { type Case, hostileFiles } from '../support/images/hostile.js';
import { jpeg, noisyJpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';
import { memoryOf } from '../support/process-memory.js';
import { modelsFolder } from '../support/server.js';

const AT_ONCE = 32;
/** 325 MiB were measured, of which 100 MiB are pixels that nothing references and V8 has not yet collected. */
const ABOVE_IDLE_BYTES_MAX = 512 * 1024 * 1024;

/** The largest images there can be, whose decoding takes the most. */
async function largest(): Promise<Case[]> {
  const deep = { type: 6, depth: 16, pixel: [200, 200, 100, 100, 50, 50, 3, 3] };
  const side = { width: 1_568, height: 1_568 };
  const of = (name: string, bytes: Buffer, format: Case['format']): Case => ({
    name,
    bytes,
    format,
    expected: [],
  });
  return [
    of('PNG', png({ ...side, samples: deep }), 'png'),
    of('PNG, interlaced', png({ ...side, samples: deep, interlaced: true }), 'png'),
    of('JPEG, progressive', await jpeg({ ...side, progressive: true }), 'jpeg'),
    of('JPEG of noise', await noisyJpeg(1_568, 1_568), 'jpeg'),
  ];
}

const only = process.platform === 'linux' ? {} : { skip: 'reads /proc' };

test(`${AT_ONCE} hostile images at once: each has its answer, and memory stays bounded`, only, async (t) => {
  const server = decider(t, ['serve'], {
    DECIDER_PORT: '0',
    DECIDER_MODELS: modelsFolder(t.testdir(), {}, {}, 'gemma4uv'),
    DECIDER_PREPARE_THREADS: '4',
    DECIDER_ENGINE_BACKEND: 'cpu',
  });
  const token = (await server.line(/^token: /)).slice('token: '.length);
  const url = (await server.line(/^listening on /)).slice('listening on '.length);
  const send = async ({ bytes, format, expected, name }: Case) => {
    const response = await fetch(`${url}/v1/decide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        state: 'img',
        questions: { q: { type: 'noul' } },
        assets: { img: { format, data_base64: bytes.toString('base64') } },
      }),
    });
    const { type } = (await response.json()) as { type?: string };
    const wanted = typeof expected === 'string' ? `${ERRORS[expected].status} ${expected}` : '200';
    t.equal(response.ok ? '200' : `${response.status} ${type}`, wanted, name);
  };
  const files = await hostileFiles();
  const large = await largest();
  const memory = memoryOf(server.child.pid as number);
  for (let round = 0; round < 4; round += 1) await send(large[0] as Case);
  const idle = memory.now();
  memory.forgetPeak();
  for (let at = 0; at < files.length; at += AT_ONCE) {
    await Promise.all(files.slice(at, at + AT_ONCE).map(send));
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => send(large[i % large.length] as Case)));
  const above = memory.peak() - idle;
  t.ok(above <= ABOVE_IDLE_BYTES_MAX, `${Math.round(above / 2 ** 20)} MiB above idle`);
  t.comment(`${Math.round(above / 2 ** 20)} MiB above idle of ${Math.round(idle / 2 ** 20)} MiB`);
});
