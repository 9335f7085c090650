import { test } from 'tap';
import { checkBatchFile } from '../../../src/batch/ingest/check-batch-file.js';
import { type ChunkWork, checkChunks } from '../../../src/batch/ingest/check-chunks.js';
import type { Refusal } from '../../../src/batch/ingest/cut-file.js';
import { ingest } from '../../../src/batch/ingest/ingest.js';
import { READING as catalog, fileOwner, fileTools, KNOWN, ownTurns } from '../../support/batch/ingest.js';
import { line } from '../../support/batch/world.js';
import { png } from '../../support/images/png.js';
import { random, seedFromEnvironment } from '../../support/random.js';

const CUT_LINES = 256;
const task = (file: Buffer) => ({
  file,
  encoding: 'identity' as const,
  allowedModels: null,
  tasks: null,
  batch: 'batch_0123456789abcdefghijABCD',
  dataKey: Buffer.alloc(32, 7),
  ...fileOwner(),
});

/** Takes a file in with `threads` helpers on this thread, and counts the cuts that each of them took. */
async function takeIn(file: Buffer, threads: number) {
  const took: number[] = [];
  const help = (work: ChunkWork) =>
    Promise.all(
      Array.from({ length: threads }, async () => {
        const checked = await checkChunks(work, catalog, ownTurns());
        took.push(typeof checked === 'string' ? 0 : checked.length);
        return checked;
      }),
    );
  const result = await ingest(task(file), { ...fileTools(), catalog, help });
  return { result, took };
}

/** A line with an image. */
const shown = (customId: string, model: string) => {
  const { state, questions } = JSON.parse(line(customId, 'pic'));
  const image = { format: 'png', data_base64: png({ width: 280, height: 280 }).toString('base64') };
  return JSON.stringify({ custom_id: customId, model, state, questions, assets: { pic: image } });
};

test('several threads check one file: every line once, in the order of the file', async (t) => {
  const file = Array.from({ length: 10 * CUT_LINES }, (_, at) =>
    at % 64 === 0 ? shown(`a${at}`, `m${at}`) : line(`a${at}`, 's', `m${at % 7}`),
  );
  const sent = Buffer.from(file.join('\n'));
  const shape = ({ result }: Awaited<ReturnType<typeof takeIn>>) => {
    if (!result.ok) throw new Error(result.message);
    const sizes = result.chunks.map(({ lines, ids }) => [lines.length, ids.length]);
    return { lines: result.lines, models: result.models, sizes };
  };
  const alone = await takeIn(sent, 0);
  const helped = await takeIn(sent, 2);
  t.strictSame(shape(helped), shape(alone));
  t.equal(shape(alone).sizes.length, 10);
  t.ok(helped.took.length === 2 && helped.took.every((count) => count > 0), 'both helped');
  t.strictSame(
    (await takeIn(Buffer.from(file.slice(0, CUT_LINES * 7).join('\n')), 2)).took,
    [],
    'a small file',
  );
});

test('contract 2.5 custom_id: duplicates are found across threads', async (t) => {
  const file = Array.from({ length: 9 * CUT_LINES }, (_, at) => line(`a${at}`));
  file.push(line('a7'));
  const { result } = await takeIn(Buffer.from(file.join('\n')), 2);
  const error = '`custom_id` was already used in line 8.';
  t.match(result, { details: { errors: [{ line: 9 * CUT_LINES + 1, type: 'duplicate_custom_id', error }] } });
});

test('what the helpers checked is put into the order of the file', async (t) => {
  const sent = Buffer.from(
    Array.from({ length: 9 * CUT_LINES + 1 }, (_, at) => line(`a${at}`, 's', `m${at % 300}`)).join('\n'),
  );
  const help = async (work: ChunkWork) => {
    const checked = await checkChunks(work, catalog, ownTurns());
    return [typeof checked === 'string' ? checked : checked.reverse()];
  };
  const result = await ingest(task(sent), { ...fileTools(), catalog, help });
  const { result: alone } = await takeIn(sent, 0);
  if (!result.ok || !alone.ok) throw new Error('the file was refused');
  const sizes = ({ chunks }: typeof result) => chunks.map(({ lines, ids }) => [lines.length, ids.length]);
  t.strictSame(sizes(result), sizes(alone));
  t.strictSame(result.models, alone.models);
});

test('a cut that a helper took and lost is an error', async (t) => {
  const file = Buffer.from(Array.from({ length: 9 * CUT_LINES }, (_, at) => line(`a${at}`)).join('\n'));
  const help = async ({ next }: ChunkWork) => {
    Atomics.add(next, 0, 1);
    return [[]];
  };
  await t.rejects(ingest(task(file), { ...fileTools(), catalog, help }), /was not checked/);
});

test('once a thread finds an invalid line, no thread takes another cut', async (t) => {
  const file = Buffer.from(`{}\n${line('a')}`);
  const next = new Int32Array(new SharedArrayBuffer(4));
  const cuts = Array.from({ length: 9 }, () => ({ start: 0, end: file.length, first: 0 }));
  const work = { ...task(file), cuts, next, searched: new Int32Array(1), block: undefined };
  t.equal(await checkChunks(work, catalog, ownTurns()), 'invalid');
  t.strictSame(await checkChunks(work, catalog, ownTurns()), []);
});

const seed = seedFromEnvironment();

test(`several threads accept and refuse the same files as one thread (TEST_SEED=${seed})`, async (t) => {
  const { integer, pick } = random(seed);
  for (let round = 0; round < 40; round += 1) {
    const count = 1 + integer(12 * CUT_LINES);
    const file = Array.from({ length: count }, (_, at) => line(`a${at}`));
    for (let fault = integer(3); fault > 0; fault -= 1) {
      file[integer(count)] = pick([
        line(`a${integer(count)}`),
        '{',
        line('a b'),
        line('x', 's', 'unknown'),
        '',
      ]);
    }
    const sent = Buffer.from(file.join('\n'));
    const whole = await checkBatchFile(sent, KNOWN, ownTurns()).catch((error: Refusal) => error);
    const { result } = await takeIn(sent, 1);
    if (whole === undefined)
      t.match(result, { ok: true, lines: file.filter(Boolean).length }, `round ${round}`);
    else {
      const { type, message, details } = whole;
      t.strictSame(result, { ok: false, type, message, details }, `round ${round}`);
    }
  }
});
