import { test } from 'tap';
import { memoryCounter } from '../../src/engine/index.js';
import { addon } from '../support/engine.js';
import { retainedBytes } from '../support/memory.js';

const MIB = 1024 * 1024;
const BLOCK_BYTES = 2 * MIB;
const BLOCKS = 2_000;
/** What may be there before V8 has looked for it: several times what is measured. */
const WAITING_BYTES_MAX = 1_024 * MIB;
const countMemory = memoryCounter(addon);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test(`unreferenced shared memory is collected: of ${(BLOCKS * BLOCK_BYTES) / MIB} MiB at most ${WAITING_BYTES_MAX / MIB} are there`, async (t) => {
  let [waiting, most] = [0, 0];
  const found = new FinalizationRegistry<number>((bytes) => {
    waiting -= bytes;
  });
  for (let made = 0; made < BLOCKS; made += 1) {
    const memory = new SharedArrayBuffer(BLOCK_BYTES);
    countMemory(memory);
    found.register(memory, BLOCK_BYTES);
    waiting += BLOCK_BYTES;
    most = Math.max(most, waiting);
    await turn();
  }
  t.ok(most <= WAITING_BYTES_MAX, `${most / MIB} MiB`);
  t.comment(`${most / MIB} MiB`);
});

test('memory is counted until it is released', async (t) => {
  const told = () => addon.countMemory(new SharedArrayBuffer(0), 0);
  // The addon is told of what is gone in a turn of its own.
  const settled = async () => {
    retainedBytes();
    await turn();
    return told();
  };
  const before = await settled();
  const held = Array.from({ length: 32 }, () => new SharedArrayBuffer(BLOCK_BYTES));
  held.forEach(countMemory);
  const with32 = await settled();
  t.ok(with32 - before >= 15 * MIB, `${with32 - before} bytes`);
  held.length = 0;
  t.ok((await settled()) - before < MIB);
});
