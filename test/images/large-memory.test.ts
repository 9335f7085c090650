import { test } from 'tap';
import { SharedTurn } from '../../src/base/index.js';
import { ImageReader } from '../../src/images/index.js';
import { jpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';
import { memoryOf } from '../support/process-memory.js';

const LARGEST = { width: 8_000, height: 5_000 };
const DEEP = { type: 6, depth: 16, pixel: [200, 200, 100, 100, 50, 50, 3, 3] };
/** 20 to 92 MiB were measured. */
const BY_ROWS_BYTES_MAX = 160 * 1024 * 1024;
/** 340 MiB were measured: 40 million pixels of 8 bytes, and the rest of a decode. */
const WHOLE_BYTES_MAX = 440 * 1024 * 1024;

const only = process.platform === 'linux' ? {} : { skip: 'reads /proc' };

test('the memory of the largest images: by rows, or whole and then one at a time', only, async (t) => {
  const memory = memoryOf(process.pid);
  const turn = new SharedTurn();
  /** Reads copies at once, each as another thread would. */
  const above = async (bytes: Buffer, copies: number) => {
    const file = { subject: 'The image', format: null, data: bytes, tokens: 280 };
    const readers = Array.from(
      { length: copies },
      () =>
        new ImageReader(
          () => {},
          (_, work) => turn.run(work),
        ),
    );
    memory.forgetPeak();
    const before = memory.now();
    await Promise.all(readers.map((reader) => reader.read([file], 48, 'scaled')));
    return memory.peak() - before;
  };
  const ordinary = await jpeg();
  await above(ordinary, 1);
  for (const [name, bytes, copies, limit] of [
    ['PNG', png({ ...LARGEST, samples: DEEP }), 1, BY_ROWS_BYTES_MAX],
    ['JPEG', await jpeg(LARGEST), 1, BY_ROWS_BYTES_MAX],
    ['PNG, interlaced', png({ ...LARGEST, samples: DEEP, interlaced: true }), 3, WHOLE_BYTES_MAX],
    ['JPEG, progressive', await jpeg({ ...LARGEST, progressive: true }), 3, WHOLE_BYTES_MAX],
  ] as const) {
    const bytesAbove = await above(bytes, copies);
    t.ok(
      bytesAbove <= limit,
      `${name}, ${copies} at once: ${Math.round(bytesAbove / 2 ** 20)} MiB above idle`,
    );
  }
});
