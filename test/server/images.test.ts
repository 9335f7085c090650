import { test } from 'tap';
import { ERRORS, type ErrorType, LIMITS } from '../../src/api/index.js';
import { TRANSPORTS } from '../support/http/serving.js';
import { jpeg } from '../support/images/jpeg.js';
import { brokenChunk, chunk, png, pngChunks, SIGNATURE } from '../support/images/png.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const PNG = png();
const JPEG = await jpeg();
/** Its header is fine. */
const UNREADABLE = Buffer.concat([
  SIGNATURE,
  ...pngChunks().map((each, i) => (i === 1 ? brokenChunk(each) : each)),
]);
const inline = (bytes: Buffer, format = 'png') => ({ format, data_base64: bytes.toString('base64') });
const image = inline(PNG);
const NOUL = { q: { type: 'noul', instructions: 'Is it?' } };
/** What a request is told that only lacks a model which reads images. */
const FINE = 'images_not_supported';

interface Sent {
  readonly name: string;
  readonly body: Record<string, unknown>;
  /** Sent as multipart with these file parts. */
  readonly files?: Record<string, Buffer>;
  readonly expected: ErrorType;
  readonly message?: RegExp;
}

const sent = (name: string, body: Sent['body'], expected: ErrorType, message?: RegExp): Sent => ({
  name,
  body: { state: 'img', questions: NOUL, ...body },
  expected,
  ...(message && { message }),
});
const withFiles = (files: Record<string, Buffer>, ...rest: Parameters<typeof sent>): Sent => ({
  ...sent(...rest),
  files,
});
const one = { assets: { img: image } };
const of = (question: object) => ({ state: 's', questions: { q: question }, ...one });
const eight = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`img${i}`, image]));
const padded = (bytes: number) => png({ before: [chunk('prVt', Buffer.alloc(bytes - PNG.length - 12))] });
const sides = (width: number, height: number) => ({ assets: { img: inline(png({ width, height })) } });

const RULES: Sent[] = [
  sent('4.3 rule 1: in a text state', one, FINE),
  sent(
    '4.3 rule 1: in a text value deep in a JSON state',
    { state: { a: [1, { b: ['an img'] }] }, ...one },
    FINE,
  ),
  sent('4.3 rule 1: in instructions', of({ type: 'noul', instructions: 'the img?' }), FINE),
  sent(
    '4.3 rule 1: in the meaning of true',
    of({ type: 'noul', criteria: { true: 'img', false: null } }),
    FINE,
  ),
  sent('4.3 rule 1: in the meaning of no', of({ type: 'noul', criteria: { yes: 'y', no: 'img' } }), FINE),
  sent(
    '4.3 rule 1: in the description of a choice',
    of({ type: 'choice', criteria: { a: 'img', b: null } }),
    FINE,
  ),
  sent('4.3 rule 1: in the text of a level', of({ type: 'score', criteria: ['low', 'img'] }), FINE),
  sent('4.3 rule 2: not in a key of the state', { state: { img: 1 }, ...one }, 'unreferenced_asset', /"img"/),
  sent(
    '4.3 rule 2: not in the key of a choice',
    of({ type: 'choice', criteria: { img: 'x' } }),
    'unreferenced_asset',
  ),
  sent(
    '4.3 rule 2: not in an item of a choice',
    of({ type: 'choice', criteria: ['img'] }),
    'unreferenced_asset',
  ),
  sent(
    '4.3 rule 1: not in the name of a question',
    { state: 's', questions: { img: { type: 'noul' } }, ...one },
    'unreferenced_asset',
  ),
  sent('4.3 rule 3: case-sensitive', { state: 'IMG Img', ...one }, 'unreferenced_asset'),
  sent('4.3 rule 3: anywhere in the text', { state: 'animgx', ...one }, FINE),
  sent('4.3 rule 3: plain, no pattern', { state: 'img', assets: { 'i.g': image } }, 'unreferenced_asset'),
  sent(
    '4.3 rule 3: quotes and line ends, before escaping',
    { state: ['a "b"\nc'], assets: { '"b"\n': image } },
    FINE,
  ),
  sent('4.3 rule 4: eight uses of one image', { state: 'img '.repeat(8), ...one }, FINE),
  sent(
    '4.3 rule 4: nine uses of one image',
    { state: 'img '.repeat(9), ...one },
    'too_many_images',
    /"q".* 8 /,
  ),
  sent(
    '4.3 rule 5: the longer reference wins',
    { state: 'img1', assets: { img: image, img1: image } },
    'unreferenced_asset',
    /"img"/,
  ),
  sent(
    '4.3 rule 5: the shorter one has the rest',
    { state: 'img1 img', assets: { img: image, img1: image } },
    FINE,
  ),
  sent(
    '4.3 rule 6: within the first 20,000 characters',
    { state: `${'🙂'.repeat(19_997)}img`, ...one },
    FINE,
  ),
  sent(
    '4.3 rule 6: across the end',
    { state: `${'🙂'.repeat(19_998)}img`, ...one },
    'image_reference_truncated',
    /"img"/,
  ),
  sent('4.3 rule 6: beyond', { state: `img${'x'.repeat(20_000)}img`, ...one }, 'image_reference_truncated'),
  sent('4.3 rule 6: indented JSON, within', { state: [`${'x'.repeat(19_992)}img`], ...one }, FINE),
  sent(
    '4.3 rule 6: indented JSON, across',
    { state: [`${'x'.repeat(19_993)}img`], ...one },
    'image_reference_truncated',
  ),
  sent('4.3 rule 7: an asset that nothing refers to', { state: 's', ...one }, 'unreferenced_asset', /"img"/),
  withFiles(
    { a: PNG },
    '4.3 rule 7: a file part that an asset names',
    { assets: { img: { format: 'png', part: 'a' } } },
    FINE,
  ),
  withFiles(
    { a: PNG, b: PNG },
    '4.3 rule 7: a file part that none names',
    { assets: { img: { format: 'png', part: 'a' } } },
    'unreferenced_asset',
    /"b"/,
  ),
  withFiles({ a: PNG }, '4.3 rule 7: a file part without assets', {}, 'unreferenced_asset', /"a"/),
  withFiles(
    { a: PNG, b: JPEG },
    '2.3: parts and base64 together',
    {
      state: 'img img2 img3',
      assets: {
        img: { format: 'png', part: 'a' },
        img2: { type: 'image', format: 'jpeg', part: 'b' },
        img3: inline(JPEG, 'jpg'),
      },
    },
    FINE,
  ),
  sent('8: eight images', { state: Object.keys(eight), assets: eight }, FINE),
  sent('8: sides of 280 and 1,568', sides(280, 1_568), FINE),
  sent('8: an image of 16 MiB', { assets: { img: inline(padded(LIMITS.imageBytes)) } }, FINE),
];

const ROWS: Sent[] = [
  withFiles(
    { a: padded(LIMITS.imageBytes) },
    '8: a part of 16 MiB',
    { assets: { img: { format: 'png', part: 'a' } } },
    FINE,
  ),
  sent('7.2: assets are no object', { assets: ['img'] }, 'invalid_assets'),
  sent('7.2: an entry is no object', { assets: { img: 'x' } }, 'invalid_assets', /"img"/),
  sent('7.2: an empty reference', { assets: { '': image } }, 'invalid_assets'),
  sent(
    '7.2: a reference of 1,025 bytes',
    { assets: { ['r'.repeat(1_025)]: image } },
    'invalid_assets',
    /1025.*1024/,
  ),
  sent(
    '7.2: a type that is not image',
    { assets: { img: { ...image, type: 'video' } } },
    'invalid_assets',
    /"img"/,
  ),
  sent('7.2: neither base64 nor part', { assets: { img: { format: 'png' } } }, 'invalid_assets', /"img"/),
  sent('7.2: both base64 and part', { assets: { img: { ...image, part: 'a' } } }, 'invalid_assets', /"img"/),
  sent(
    '7.2: a part in a body that is no multipart one',
    { assets: { img: { format: 'png', part: 'a' } } },
    'invalid_assets',
    /"a"/,
  ),
  sent(
    '7.2: a format that is not read',
    { assets: { img: inline(PNG, 'gif') } },
    'unsupported_image_format',
    /"img"/,
  ),
  sent(
    '7.2: a PNG sent as JPEG',
    { assets: { img: inline(PNG, 'jpg') } },
    'unsupported_image_format',
    /"img"/,
  ),
  sent('7.2: a JPEG sent as PNG', { assets: { img: inline(JPEG) } }, 'unsupported_image_format', /"img"/),
  sent(
    '7.2: an animated PNG',
    { assets: { img: inline(png({ before: [chunk('acTL', Buffer.alloc(8))] })) } },
    'unsupported_image_format',
    /"img"/,
  ),
  ...['data:image/png;base64,', ' ', '\n'].map((prefix) =>
    sent(
      `7.2: base64 behind ${JSON.stringify(prefix)}`,
      { assets: { img: { ...image, data_base64: prefix + image.data_base64 } } },
      'invalid_image',
      /"img"/,
    ),
  ),
  ...['=', '====', 'A', 'AA', 'AAA', 'AA-_', 'AA=A', 'AAAA=', 'é==='].map((data_base64) =>
    sent(
      `7.2: base64 ${data_base64}`,
      { assets: { img: { format: 'png', data_base64 } } },
      'invalid_image',
      /"img"/,
    ),
  ),
  sent('7.2: an unreadable image', { assets: { img: inline(UNREADABLE) } }, 'invalid_image', /"img"/),
  withFiles(
    { a: JPEG.subarray(0, 500) },
    '7.2: an unreadable part',
    { assets: { img: { format: 'jpg', part: 'a' } } },
    'invalid_image',
    /"img"/,
  ),
  sent(
    '7.2: an image over 16 MiB',
    { assets: { img: inline(padded(LIMITS.imageBytes + 1)) } },
    'image_too_large',
    /"img".*16777217/,
  ),
  withFiles(
    { a: padded(LIMITS.imageBytes + 1) },
    '7.2: a part over 16 MiB',
    { assets: { img: { format: 'png', part: 'a' } } },
    'image_too_large',
    /"img"/,
  ),
  sent('7.2: a side of 279', sides(279, 300), 'image_dimensions', /"img".*279 × 300/),
  sent('7.2: a side of 1,569', sides(300, 1_569), 'image_dimensions', /"img".*300 × 1569/),
  sent(
    '7.2: nine assets',
    { state: 'img8 '.concat(Object.keys(eight).join(' ')), assets: { ...eight, img8: image } },
    'too_many_images',
    /9/,
  ),
  sent(
    '7.2: nine images in one question, the state’s among them',
    {
      state: 'img img img',
      questions: {
        a: NOUL.q,
        b: { type: 'choice', instructions: 'img img', criteria: { x: 'img img', y: 'imgimg' } },
      },
      ...one,
    },
    'too_many_images',
    /"b"/,
  ),
  sent('7.2: an image budget of 71', { image_budget: 71, ...one }, 'invalid_image_budget', /71/),
  sent('7.2: an image budget without images', { image_budget: 0 }, 'invalid_image_budget'),
  sent('7.2: an image budget as text', { image_budget: '70' }, 'invalid_image_budget'),
  ...[70, 140, 280].map((image_budget) =>
    sent(`2.1: an image budget of ${image_budget}`, { image_budget, ...one }, FINE),
  ),
];

const ORDER: Sent[] = [
  sent('the model before the images', { model: 'gpt', assets: 1 }, 'model_not_found'),
  sent('the questions before the images', { questions: {}, assets: 1 }, 'invalid_questions'),
  sent(
    'a part that was not sent behind what no byte is needed for',
    { state: 'x', assets: { img: { format: 'png', part: 'a' } } },
    'unreferenced_asset',
  ),
  sent(
    'the images before the context window',
    {
      state: 'img',
      questions: { q: { type: 'noul', instructions: 'word '.repeat(50_000) } },
      assets: { img: inline(JPEG) },
    },
    'unsupported_image_format',
  ),
  sent(
    'the model’s reading before the context window',
    { state: 'img', questions: { q: { type: 'noul', instructions: 'word '.repeat(50_000) } }, ...one },
    FINE,
  ),
  sent(
    'every header before any decode',
    { state: 'a b', assets: { a: inline(UNREADABLE), b: inline(png({ width: 279 })) } },
    'image_dimensions',
    /"b"/,
  ),
];

for (const transport of TRANSPORTS) {
  test(`images over ${transport}`, async (t) => {
    const { url, headers, decide } = await startTestServer(
      t,
      { DECIDER_HTTP_TRANSPORT: transport },
      // A server of one model ignores `model`.
      modelsFolder(t.testdir(), {}, { answers_for: ['another'] }),
    );
    const send = ({ body, files }: Sent) => {
      if (files === undefined) return decide(body);
      const form = new FormData();
      form.append('request', JSON.stringify(body));
      for (const [name, bytes] of Object.entries(files))
        form.append(name, new Blob([new Uint8Array(bytes)]), 'a.png');
      const { authorization } = headers;
      return fetch(`${url}/v1/decide`, { method: 'POST', headers: { authorization }, body: form });
    };
    for (const each of [...RULES, ...ROWS, ...ORDER]) {
      const response = await send(each);
      const { type, error } = (await response.json()) as { type: string; error: string };
      t.equal(
        `${response.status} ${type}`,
        `${ERRORS[each.expected].status} ${each.expected}`,
        `${each.name}: ${error}`,
      );
      if (each.message !== undefined) t.match(error, each.message, each.name);
    }
    for (const assets of [undefined, {}]) {
      t.equal((await decide({ state: 'img', questions: NOUL, assets })).status, 200, 'no images, no refusal');
    }
    const form = await send({ ...sent('', {}, FINE), files: {} });
    t.equal(form.status, 200, 'multipart without files');
  });
}
