import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { nextTurn } from '../../../src/base/index.js';
import { FILE_DECODE_MS_MAX, FileTurns } from '../../../src/batch/ingest/file-turns.js';
import { ingest } from '../../../src/batch/ingest/ingest.js';
import { SMALL_FILE_BYTES } from '../../../src/batch/ingest/rooms.js';
import { IMAGES_AT_ONCE_MAX, ThreadTurns } from '../../../src/batch/ingest/thread-turns.js';
import { READING as catalog, fileOwner, fileTools } from '../../support/batch/ingest.js';
import { line, lines } from '../../support/batch/world.js';
import { png } from '../../support/images/png.js';

/** A decode that ends when the test resolves it. */
function heldDecodes() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const decode = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { started, decode, end };
}

test('workspaces take turns with images, however many files and images one of them has', async (t) => {
  const thread = new ThreadTurns();
  const { started, decode, end } = heldDecodes();
  const file = (key: string, workspace: string) => new FileTurns(thread, fileOwner(key, workspace));
  const sent = ['a1', 'a2', 'a3'].flatMap((key) => {
    const turns = file(key, 'a');
    return [1, 2, 3].map((at) => turns.image(1, decode(`${key}-${at}`)));
  });
  const b = file('b', 'b').image(1, decode('b'));
  await nextTurn();
  t.strictSame(started, ['a1-1', 'b'], 'a workspace decodes one image at a time, the server two');
  t.equal(IMAGES_AT_ONCE_MAX.all, 2);
  const c = file('c', 'c').image(1, decode('c'));
  for (let at = 0; at < 11; at += 1) await end(started[at] ?? '');
  t.strictSame(await Promise.all([b, c]), ['b', 'c']);
  t.equal((await Promise.all(sent)).length, 9);
  t.ok(started.indexOf('c') <= 3, `a further workspace waits for one image: ${started.join(' ')}`);
  const keys = started.filter((name) => name.startsWith('a')).map((name) => name.slice(0, 2));
  t.strictSame(keys.slice(1, 7), ['a1', 'a2', 'a3', 'a1', 'a2', 'a3'], 'the keys of a workspace take turns');
});

test('cuts of workspaces alternate', async (t) => {
  const thread = new ThreadTurns();
  const order: string[] = [];
  const read = async (key: string, workspace: string, cuts: number) => {
    const turns = new FileTurns(thread, fileOwner(key, workspace));
    for (let at = 0; at < cuts; at += 1) await turns.cut(() => order.push(workspace));
  };
  await Promise.all([...['a1', 'a2', 'a3'].map((key) => read(key, 'a', 4)), read('b', 'b', 3)]);
  t.ok(order.lastIndexOf('b') < 9, `at most two cuts of a workspace follow each other: ${order.join(' ')}`);
});

test(`${LIMITS.batchPixels} pixels of images are decoded, and not one more`, async (t) => {
  const turns = new FileTurns(new ThreadTurns(), fileOwner());
  const decode = async () => 'found';
  t.equal(await turns.image(LIMITS.batchPixels - 1, decode), 'found');
  t.equal(await turns.image(1, decode), 'found');
  await t.rejects(async () => turns.image(1, decode), { type: 'body_too_large', message: /pixels/ });
});

test(`decoding for ${FILE_DECODE_MS_MAX} ms is accepted, and not one more; waiting does not count`, async (t) => {
  let now = 0;
  const thread = new ThreadTurns();
  const turns = new FileTurns(thread, fileOwner(), true, () => now);
  const lasting = (ms: number) => async () => {
    now += ms;
    return 'found';
  };
  const { decode, end } = heldDecodes();
  const other = new FileTurns(thread, fileOwner('other')).image(1, decode('other'));
  const first = turns.image(1, lasting(FILE_DECODE_MS_MAX));
  now += 1_000_000;
  await nextTurn();
  await end('other');
  t.equal(await other, 'other');
  t.equal(await first, 'found');
  t.equal(await turns.image(1, lasting(0)), 'found');
  await t.rejects(turns.image(1, lasting(1)), { type: 'overloaded', message: /120 seconds/ });
});

const task = (file: Buffer) => ({
  file,
  encoding: 'identity' as const,
  allowedModels: null,
  tasks: null,
  batch: 'batch_0123456789abcdefghijABCD',
  dataKey: Buffer.alloc(32, 7),
  ...fileOwner(),
});
/** Bytes that are no image behind a header that is one, different for each name. */
const broken = (name: string) => {
  const file = png({ width: 280, height: 280 });
  return Buffer.concat([file.subarray(0, -30), Buffer.from(name.padStart(18, '-')), file.subarray(-12)]);
};
const shown = (customId: string, bytes: Buffer) =>
  JSON.stringify({
    ...JSON.parse(line(customId, 'pic')),
    assets: { pic: { format: 'png', data_base64: bytes.toString('base64') } },
  });

test('images are not decoded for a model that reads none', async (t) => {
  const turns = new ThreadTurns();
  turns.image = () => Promise.reject(new Error('an image was decoded'));
  const good = png({ width: 280, height: 280 });
  const file = Array.from({ length: 50 }, (_, at) => shown(`a${at}`, good)).join('\n');
  const result = await ingest(task(Buffer.from(file)), { ...fileTools(), turns });
  t.match(result, { ok: false, details: { invalid_lines: 50, errors: [{ type: 'images_not_supported' }] } });
});

test(`no image is decoded after ${LIMITS.batchErrors} faults; the other checks go on`, async (t) => {
  const turns = new ThreadTurns();
  let decoded = 0;
  const image = turns.image.bind(turns);
  turns.image = (owner, decode) => {
    decoded += 1;
    return image(owner, decode);
  };
  const file = [
    ...Array.from({ length: LIMITS.batchErrors + 50 }, (_, at) => shown(`a${at}`, broken(`${at}`))),
    ...Array.from({ length: 7 }, () => '{'),
  ];
  const result = await ingest(task(Buffer.from(file.join('\n'))), { ...fileTools(), catalog, turns });
  t.match(result, { ok: false, type: 'invalid_batch', details: { invalid_lines: LIMITS.batchErrors + 7 } });
  t.equal(decoded, LIMITS.batchErrors, 'nor before a fault that is found without decoding');
});

test('checking stops when the client has disconnected', async (t) => {
  const { owner, stop } = fileOwner();
  const turns = new ThreadTurns();
  let decoded = 0;
  const image = turns.image.bind(turns);
  turns.image = (by, decode) => {
    decoded += 1;
    if (decoded === 3) Atomics.store(stop, 0, 1);
    return image(by, decode);
  };
  const file = Array.from({ length: 20 }, (_, at) => shown(`a${at}`, broken(`${at}`)));
  const sent = { ...task(Buffer.from(file.join('\n'))), owner, stop };
  const result = await ingest(sent, { ...fileTools(), catalog, turns });
  t.match(result, { ok: false, type: 'request_timeout' });
  t.equal(decoded, 3);
  const text = { ...task(Buffer.from(lines('a', 20_000))), owner, stop };
  t.match(await ingest(text, { ...fileTools(), turns }), { ok: false, type: 'request_timeout' });
});

test('files belong into a room by their size and their images', async (t) => {
  const good = shown('a', png({ width: 280, height: 280 }));
  const filled = (text: string, bytes: number) => Buffer.from(text.padEnd(bytes, '\n'));
  const roomOf = async (file: Buffer, room: 'small' | 'texts' | 'images') => {
    try {
      const result = await ingest(task(file), { ...fileTools(), catalog }, room);
      return result.ok ? 'read' : result.type;
    } catch (error) {
      return (error as { readonly room: string }).room;
    }
  };
  t.equal(await roomOf(filled(good, SMALL_FILE_BYTES), 'small'), 'read');
  t.equal(await roomOf(filled(good, SMALL_FILE_BYTES + 1), 'small'), 'texts');
  t.equal(await roomOf(filled(good, SMALL_FILE_BYTES + 1), 'texts'), 'images');
  t.equal(await roomOf(filled(good, SMALL_FILE_BYTES + 1), 'images'), 'read');
  t.equal(await roomOf(filled(line('a'), SMALL_FILE_BYTES + 1), 'texts'), 'read');
  t.equal(
    await roomOf(filled(`${good}\n{`, SMALL_FILE_BYTES + 1), 'texts'),
    'images',
    'also to list its faults',
  );
  const escaped = good.replace('"assets"', '"\\u0061ssets"');
  t.equal(await roomOf(filled(escaped, SMALL_FILE_BYTES + 1), 'texts'), 'images');
});
