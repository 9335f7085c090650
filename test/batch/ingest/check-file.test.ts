import { test } from 'tap';
import { LIMITS, LINE_ERRORS } from '../../../src/api/index.js';
import { checkBatchFile } from '../../../src/batch/ingest/check-batch-file.js';
import type { Refusal } from '../../../src/batch/ingest/cut-file.js';
import { KNOWN, ownTurns, READING } from '../../support/batch/ingest.js';
import { line } from '../../support/batch/world.js';
import { png, pngChunks } from '../../support/images/png.js';

interface Details {
  readonly errors: readonly { readonly line: number; readonly type: string; readonly error: string }[];
  readonly invalid_lines: number;
  readonly max_lines: number;
}

const MODELS = { ...KNOWN, allowed: ['m', ...Array.from({ length: 9 }, (_, at) => `m${at}`)] };

/** What a file is refused with; undefined where it is not. */
async function refusalOf(
  file: string | Buffer,
  models = MODELS,
): Promise<{ type: string; details: Details } | undefined> {
  try {
    await checkBatchFile(Buffer.from(file), models, ownTurns());
  } catch (error) {
    return error as Refusal & { details: Details };
  }
  return undefined;
}

const Q = { q: { type: 'noul' } };
const of = (fields: object) =>
  JSON.stringify({ custom_id: 'x', model: 'm', state: 's', questions: Q, ...fields });
const questions = (question: unknown) => of({ questions: { q: question } });
const options = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const many = (count: number) =>
  of({ questions: Object.fromEntries(options(count).map((name) => [name, { type: 'noul' }])) });

const GOOD = png({ width: 280, height: 280 });
const image = (bytes: Buffer) => ({ format: 'png', data_base64: bytes.toString('base64') });
const shown = (bytes: Buffer) => of({ assets: { s: image(bytes) } });

/** Lines that are wrong in one way each. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  invalid_json: [
    '{',
    'x',
    of({}).slice(0, -1),
    `${of({})}${of({})}`,
    `\ufeff${of({})}`,
    `${'['.repeat(100)}`,
  ],
  invalid_line: [
    '[]',
    '1',
    'null',
    '"x"',
    of({ model: 7 }),
    of({ questions: [] }),
    of({ questions: 'q' }),
    of({ task: 'unknown' }),
  ],
  invalid_custom_id: [
    JSON.stringify({ model: 'm', state: 's', questions: Q }),
    ...['', 'x'.repeat(65), 'a b', 'a/b', 'é', 'a\n', null, 7].map((id) => of({ custom_id: id })),
  ],
  model_required: [of({ model: undefined }), of({ model: null }), of({ model: '' })],
  task_not_found: [of({ model: undefined, questions: null, task: 'unknown' })],
  model_not_found: [of({ model: 'unknown' }), of({ model: 'M' })],
  model_not_allowed: [of({ model: 'm9' })],
  missing: [of({ state: undefined }), of({ state: null })],
  invalid_questions: [of({ questions: undefined }), of({ questions: null }), of({ questions: {} })],
  too_many_questions: [many(17)],
  invalid_type: [questions({}), questions({ type: 'text' }), questions({ type: null })],
  invalid_question: [
    questions(null),
    questions({ type: 'noul', instructions: 7 }),
    questions({ type: 'choice', criteria: [] }),
    questions({ type: 'choice', criteria: ['a', 'a'] }),
    questions({ type: 'score', criteria: ['one'] }),
    questions({ type: 'noul', criteria: { true: null } }),
  ],
  too_many_options: [questions({ type: 'choice', criteria: options(27) })],
  invalid_image_budget: [of({ image_budget: 71 }), of({ image_budget: '70' })],
  invalid_assets: [of({ assets: [] })],
  too_many_images: [of({ assets: Object.fromEntries(options(9).map((name) => [name, image(GOOD)])) })],
  unreferenced_asset: [of({ assets: { elsewhere: image(GOOD) } })],
  image_reference_truncated: [of({ state: `${'-'.repeat(20_000)}s`, assets: { s: image(GOOD) } })],
  unsupported_image_format: [
    of({ assets: { s: { format: 'gif', data_base64: 'R0lGODlh' } } }),
    of({ assets: { s: image(Buffer.alloc(9)) } }),
  ],
  invalid_image: [of({ assets: { s: { format: 'png', data_base64: '!' } } }), shown(GOOD.subarray(0, 40))],
  image_too_large: [shown(Buffer.concat([GOOD, Buffer.alloc(LIMITS.imageBytes)]))],
  image_dimensions: [shown(png({ width: 279, height: 280 }))],
  images_not_supported: [shown(GOOD)],
};

test('every error type of a line is covered, except duplicate ids', async (t) => {
  t.strictSame([...Object.keys(WRONG), 'duplicate_custom_id'].sort(), [...LINE_ERRORS].sort());
});

for (const [type, all] of Object.entries(WRONG)) {
  test(`${type}, with its line number`, async (t) => {
    for (const wrong of all) {
      const refusal = await refusalOf(`${line('a')}\n\n${wrong}\n${line('b')}`);
      t.equal(refusal?.type, 'invalid_batch', wrong.slice(0, 80));
      t.equal(refusal?.details.invalid_lines, 1);
      const [fault, ...others] = refusal?.details.errors ?? [];
      t.match(fault, { line: 3, type, error: /\.$/ }, wrong.slice(0, 80));
      t.strictSame(Object.keys(fault ?? {}).sort(), ['error', 'line', 'type']);
      t.strictSame(others, []);
    }
  });
}

test('pixels that cannot be decoded, of a model that reads images', async (t) => {
  const chunks = pngChunks({ width: 280, height: 280 });
  // All parts are sound, and a half of the pixels is missing.
  const half = Buffer.concat([GOOD.subarray(0, 8), ...chunks.filter((_, at) => at !== 2)]);
  const models = { ...MODELS, catalog: READING };
  const refusal = await refusalOf([shown(GOOD), shown(half).replace('"x"', '"y"')].join('\n'), models);
  t.match(refusal?.details, { invalid_lines: 1, errors: [{ line: 2, type: 'invalid_image' }] });
});

test('valid lines', async (t) => {
  const good = [
    of({ custom_id: 'x'.repeat(64) }),
    of({ custom_id: 'A.z_0:-9', model: 'm1' }),
    of({ state: { a: [1, null] }, extra: 1 }),
    of({ custom_id: 'e', state: '', assets: {}, image_budget: 70 }),
    many(16).replace('"x"', '"y"'),
    questions({ type: 'choice', criteria: options(26) }).replace('"x"', '"z"'),
  ];
  t.equal(await refusalOf(good.map((each, at) => each.replace('"x"', `"x${at}"`)).join('\n')), undefined);
});

test('a duplicate id names the first line with it, even if that line is invalid in another way', async (t) => {
  const refusal = await refusalOf([of({}), '', of({ model: 'm1' }), of({})].join('\n'));
  t.match(refusal?.details, {
    invalid_lines: 2,
    errors: [
      { line: 3, type: 'duplicate_custom_id', error: /line 1/ },
      { line: 4, type: 'duplicate_custom_id', error: /line 1/ },
    ],
  });
  const first = await refusalOf([of({ state: null }), of({})].join('\n'));
  t.strictSame(
    first?.details.errors.map(({ line: at, type }) => [at, type]),
    [
      [1, 'missing'],
      [2, 'duplicate_custom_id'],
    ],
  );
});

test('all wrong lines are counted, and the first 100 are listed', async (t) => {
  for (const wrong of [LIMITS.batchErrors, LIMITS.batchErrors + 1, 1_000]) {
    const refusal = await refusalOf(`${line('a')}\n${'{\n'.repeat(wrong)}`);
    t.equal(refusal?.details.invalid_lines, wrong);
    t.strictSame(
      refusal?.details.errors.map((each) => each.line),
      Array.from({ length: Math.min(wrong, 100) }, (_, at) => at + 2),
    );
  }
});

test('50,000 lines, and not one more; blank lines do not count', async (t) => {
  const all = Array.from({ length: LIMITS.batchLines }, (_, at) => line(`a${at}`, 's')).join('\n\n');
  t.equal(await refusalOf(all), undefined);
  const refusal = await refusalOf(`${all}\n${line('more')}`);
  t.equal(refusal?.type, 'too_many_lines');
  t.strictSame(refusal?.details, { max_lines: 50_000 });
});

test('32 MiB of line feeds, or of one-byte lines, take no gigabytes', async (t) => {
  t.equal((await refusalOf(Buffer.alloc(LIMITS.decompressedBodyBytes, '\n')))?.type, 'empty_batch');
  const before = process.memoryUsage().rss;
  t.equal((await refusalOf(Buffer.alloc(LIMITS.decompressedBodyBytes, '1\n')))?.type, 'too_many_lines');
  t.ok(process.memoryUsage().rss - before < 1e9);
});

test('a line full of brackets or numbers is refused before it is parsed', async (t) => {
  const size = LIMITS.decompressedBodyBytes;
  for (const filling of ['[', '[],', '{"a":', '1,']) {
    const file = Buffer.concat([Buffer.from('['), Buffer.alloc(size - 2, filling), Buffer.from('1')]);
    t.match((await refusalOf(file))?.details.errors, [{ line: 1, type: 'invalid_json' }], filling);
  }
});

test('a file without lines, and one that is not UTF-8', async (t) => {
  for (const empty of ['', '\n', ' \r\n\n']) t.equal((await refusalOf(empty))?.type, 'empty_batch');
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    const file = Buffer.concat([Buffer.from(`${line('a')}\n`), Buffer.from(bytes)]);
    t.equal((await refusalOf(file))?.type, 'invalid_jsonl');
  }
  t.equal(
    (await refusalOf(Buffer.from(line('a'), 'utf16le')))?.type,
    'invalid_batch',
    'valid UTF-8, but no JSON',
  );
});
