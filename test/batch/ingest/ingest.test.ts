import { gzipSync } from 'node:zlib';
import { test } from 'tap';
import { type ContentEncoding, LIMITS } from '../../../src/api/index.js';
import { type IngestResult, ingest } from '../../../src/batch/ingest/ingest.js';
import { SealedBatch } from '../../../src/storage/folder/batches/sealed-batch.js';
import { Sealer } from '../../../src/storage/folder/index.js';
import { fileOwner, fileTools } from '../../support/batch/ingest.js';
import { line, lines } from '../../support/batch/world.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { emptyStore } from '../../support/store/opened.js';
import { storedFrame } from '../../support/zstd.js';

const DATA_KEY = Buffer.alloc(32, 7);
const ID = 'batch_0123456789abcdefghijABCD';

const take = (file: Uint8Array, encoding: ContentEncoding = 'identity', dataKey: Uint8Array = DATA_KEY) =>
  ingest(
    { file, encoding, allowedModels: null, tasks: null, batch: ID, dataKey, ...fileOwner() },
    fileTools(),
  );
const typeOf = (result: IngestResult) => (result.ok ? 'ok' : result.type);

test('identity, gzip and zstd of one file are the same batch', async (t) => {
  const file = Buffer.from(lines('a', 1_000));
  const taken = [take(file), take(gzipSync(file), 'gzip'), take(storedFrame(file), 'zstd')];
  const shapes = (await Promise.all(taken)).map((result) => {
    if (!result.ok) return result;
    return {
      lines: result.lines,
      models: result.models,
      sizes: result.chunks.map((each) => each.lines.length),
    };
  });
  t.match(shapes[0], { lines: 1_000, models: [{ model: 'm' }] });
  t.strictSame(shapes[1], shapes[0]);
  t.strictSame(shapes[2], shapes[0]);
});

test('a body that does not decompress, or decompresses to too much', async (t) => {
  const good = gzipSync(lines('a', 10));
  t.equal(typeOf(await take(good.subarray(0, -9), 'gzip')), 'bad_encoding');
  t.equal(typeOf(await take(Buffer.from(lines('a', 1)), 'gzip')), 'bad_encoding');
  t.equal(typeOf(await take(Buffer.from('x'), 'zstd')), 'bad_encoding');
  t.equal(typeOf(await take(good, 'identity')), 'invalid_jsonl');
  const limit = LIMITS.decompressedBodyBytes;
  const filled = (bytes: number) => {
    const file = Buffer.alloc(bytes, ' ');
    file.write(line('a'));
    return file;
  };
  t.equal(typeOf(await take(gzipSync(filled(limit)), 'gzip')), 'ok', '32 MiB');
  t.equal(typeOf(await take(gzipSync(filled(limit + 1)), 'gzip')), 'body_too_large', 'and one byte more');
});

test('the models in the order of their first lines, and a token for every four bytes', async (t) => {
  const file = [line('a', 's', 'm2'), line('b', 's', 'm1'), line('c', 'ss', 'm2')];
  const result = await take(Buffer.from(file.join('\n')));
  const tokens = (...all: string[]) => all.reduce((sum, each) => sum + Math.ceil(each.length / 4), 0);
  t.match(result, {
    models: [
      { model: 'm2', tokens: tokens(file[0] as string, file[2] as string) },
      { model: 'm1', tokens: tokens(file[1] as string) },
    ],
  });
});

test('CRLF, blank lines and a line of 1 MB in one valid file', async (t) => {
  const store = emptyStore(t);
  const sealer = new Sealer(store, '');
  const dataKey = sealer.newDataKey(ID);
  const long = line('long', 'x'.repeat(1024 * 1024));
  const file = Buffer.from(`${line('a')}\r\n\r\n${long}\r\n\n${line('b', { k: [1] })}`);
  const result = await take(file, 'identity', dataKey.key);
  if (!result.ok) throw new Error(result.message);
  t.equal(result.lines, 3);
  await store.write([
    dataKey.write(),
    ...result.chunks.map((each, at) => store.table('batch_lines').write([ID, at], Buffer.from(each.lines))),
  ]);
  await store.write(
    result.chunks.map((each, at) => store.table('batch_ids').write([ID, at], Buffer.from(each.ids))),
  );
  const sealed = SealedBatch.open(store, sealer, { id: ID }) as SealedBatch;
  const read = result.chunks.flatMap((_, at) => sealed.lines(at));
  t.strictSame(
    read.map(({ customId }) => customId),
    ['a', 'long', 'b'],
  );
  t.equal(read[1]?.body.toString(), `${long}\r`);
});

const seed = seedFromEnvironment();

test(`the chunks contain the lines as sent, in order, and decrypt only with the batch’s key (TEST_SEED=${seed})`, async (t) => {
  const store = emptyStore(t);
  const sealer = new Sealer(store, '');
  const next = random(seed);
  for (let round = 0; round < 6; round += 1) {
    const count = 1 + next.integer(800);
    const filling = next.integer(2) === 0 ? 10 : 4_000;
    const sent = Array.from({ length: count }, (_, at) =>
      line(`a${at}`, '\\n"é😀'.repeat(next.integer(filling / 8)), next.pick(['m', 'm1'])),
    );
    const file = Buffer.from(sent.map((each) => each + next.pick(['\n', '\r\n', '\n\n', ' \n'])).join(''));
    const dataKey = sealer.newDataKey(ID);
    const result = await take(file, 'identity', dataKey.key);
    if (!result.ok) throw new Error(result.message);
    t.equal(result.lines, count);
    await store.write([
      dataKey.write(),
      ...result.chunks.flatMap((chunk, at) => [
        store.table('batch_lines').write([ID, at], Buffer.from(chunk.lines)),
        store.table('batch_ids').write([ID, at], Buffer.from(chunk.ids)),
      ]),
    ]);
    const sealed = SealedBatch.open(store, sealer, { id: ID }) as SealedBatch;
    const read = result.chunks.flatMap((_, at) => sealed.lines(at));
    t.strictSame(
      read.map(({ index }) => index),
      sent.map((_, at) => at),
    );
    t.ok(read.every(({ customId }, at) => customId === `a${at}`));
    t.ok(read.every(({ body }, at) => body.toString().trim() === sent[at]));
    t.ok(read.every(({ model, body }) => JSON.parse(body.toString()).model === model));
    const longest = Math.max(...sent.map((each) => Buffer.byteLength(each)));
    t.ok(
      result.chunks.every((chunk) => chunk.lines.length < 256 * 1024 + longest + 1_024),
      'chunks are bounded',
    );
    t.ok(result.chunks.every((_, at) => sealed.ids(at).ids.length <= 256));
    const plain = Buffer.from('custom_id');
    t.notOk(result.chunks.some((chunk) => Buffer.from(chunk.lines).includes(plain)));
    await store.write([sealer.newDataKey(ID).write()]);
    t.throws(() => SealedBatch.open(store, sealer, { id: ID })?.lines(0), { name: 'StoreError' });
  }
});
