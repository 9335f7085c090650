import { test } from 'tap';
import { Blocks, freeBlock, roomIn } from '../../../src/batch/ingest/blocks.js';

test('two blocks, each reused when it is free', async (t) => {
  const blocks = new Blocks();
  const [a, b] = [blocks.take(), blocks.take()];
  t.ok(a !== undefined && b !== undefined && a !== b);
  t.equal(blocks.take(), undefined);
  freeBlock(b);
  t.equal(blocks.take(), b);
  t.equal(blocks.take(), undefined);
  freeBlock(undefined);
});

test('allocations follow each other in a block; what does not fit gets memory of its own', async (t) => {
  const block = new SharedArrayBuffer(16 + 5);
  const copies = ['abc', 'def', 'gh', ''].map((text) => {
    const room = roomIn(block, text.length);
    room.set(Buffer.from(text));
    return room;
  });
  t.strictSame(
    copies.map((bytes) => Buffer.from(bytes).toString()),
    ['abc', 'def', 'gh', ''],
  );
  t.strictSame(
    copies.map(({ buffer }) => buffer === block),
    [true, false, true, true],
  );
  const own = roomIn(undefined, 1);
  t.ok(own.buffer instanceof SharedArrayBuffer && own.buffer.byteLength === 1);
});
