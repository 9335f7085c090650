import { gzipSync } from 'node:zlib';
import type { Reply, Service } from '../support/contract/service.js';
import { ASK, type ContractTest, httpRule, rule } from '../support/contract/suite.js';
import { jpeg, withScans } from '../support/images/jpeg.js';
import { chunk, png, pngChunks, SIGNATURE } from '../support/images/png.js';

const SMALL = { width: 280, height: 280 };
const PICTURE = png(SMALL).toString('base64');

/** A picture of exactly so many bytes. */
function pngOfBytes(bytes: number): Buffer {
  const padded = (padding: number) => png({ ...SMALL, before: [chunk('teXt', Buffer.alloc(padding, 'x'))] });
  return padded(bytes - padded(0).length);
}

const asset = (over: object = {}) => ({ format: 'png', data_base64: PICTURE, ...over });
const assetsOf = (...references: readonly string[]) =>
  Object.fromEntries(references.map((reference) => [reference, asset()]));

/** The answer to a valid request with images: the model of these tests does not read any. */
const VALID = [422, 'images_not_supported'];

const outcome = ({ status, json }: Reply) => [status, json.type];
const show = async ({ post }: Service, assets: unknown, state: unknown = 'a cat', questions: unknown = ASK) =>
  outcome(await post({ state, questions, assets }));
const one = (question: object) => ({ q: { type: 'noul', ...question } });

const BOUNDARY = 'a-boundary';
const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** A multipart body: the request, then files by the name of their part. */
function form(request: unknown, files: Readonly<Record<string, Uint8Array>>): Buffer {
  const part = (name: string, content: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]);
  const parts = Object.entries(files).map(([name, content]) => part(name, content));
  return Buffer.concat([
    part('request', Buffer.from(JSON.stringify(request))),
    ...parts,
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
}

/** Contract 2.3. */
const ASSETS: readonly ContractTest[] = [
  rule('2.3 references: 1 to 1,024 bytes of UTF-8', async (t, service) => {
    for (const reference of ['c', 'é'.repeat(512), 'a "quoted"\nname', '😀', '__proto__']) {
      const assets = `{${JSON.stringify(reference)}:${JSON.stringify(asset())}}`;
      const body = `{"state":${JSON.stringify(reference)},"questions":${JSON.stringify(ASK)},"assets":${assets}}`;
      t.strictSame(outcome(await service.post(body)), VALID, reference.slice(0, 20));
    }
    for (const reference of ['', `a${'é'.repeat(512)}`, 'a'.repeat(1_025)]) {
      t.strictSame(await show(service, assetsOf(reference), reference), [400, 'invalid_assets']);
    }
  }),
  rule('2.3 references: at most 64 KiB together, which eight references cannot reach', async (t, service) => {
    const references = (count: number) =>
      Array.from({ length: count }, (_, at) => `${at} `.padEnd(1_024, 'x'));
    t.strictSame(await show(service, assetsOf(...references(8)), references(8).join(' ')), VALID);
    const over = Object.fromEntries(references(65).map((reference) => [reference, {}]));
    t.strictSame(await show(service, over, 'x'), [400, 'invalid_assets']);
  }),
  rule('2.3 type: image or absent', async (t, service) => {
    for (const type of [undefined, 'image']) {
      t.strictSame(await show(service, { cat: asset({ type }) }), VALID);
    }
    for (const type of [null, 'video', '', 'Image', 7]) {
      t.strictSame(await show(service, { cat: asset({ type }) }), [400, 'invalid_assets'], `${type}`);
    }
  }),
  rule('2.3 format: png, jpg or jpeg, matching the bytes', async (t, service) => {
    const photo = (await jpeg()).toString('base64');
    for (const [format, data_base64] of [
      ['png', PICTURE],
      ['jpg', photo],
      ['jpeg', photo],
    ] as const) {
      t.strictSame(await show(service, { cat: { format, data_base64 } }), VALID, format);
    }
    for (const [format, data_base64] of [
      ['png', photo],
      ['jpg', PICTURE],
      ['jpeg', PICTURE],
      ['gif', PICTURE],
      ['PNG', PICTURE],
      ['', PICTURE],
    ] as const) {
      const found = await show(service, { cat: { format, data_base64 } });
      t.strictSame(found, [400, 'unsupported_image_format'], format);
    }
  }),
  rule('2.3 data_base64: standard base64, without a prefix', async (t, service) => {
    for (const data_base64 of [
      `data:image/png;base64,${PICTURE}`,
      `${PICTURE}\n`,
      `${PICTURE.slice(0, 40)} ${PICTURE.slice(40)}`,
      PICTURE.slice(0, -1),
      `${PICTURE}=`,
      `_-${PICTURE.slice(2)}`,
      '',
    ]) {
      const found = await show(service, { cat: asset({ data_base64 }) });
      t.strictSame(found, [400, 'invalid_image'], data_base64.slice(0, 30));
    }
  }),
  rule('2.3 part: the name of a file part', async (t, { post }) => {
    const request = { state: 'a cat', questions: ASK, assets: { cat: { format: 'png', part: 'file' } } };
    const body = form(request, { file: png(SMALL) });
    t.strictSame(outcome(await post(body, { headers: FORM })), VALID);
    const zipped = gzipSync(body);
    t.strictSame(outcome(await post(zipped, { headers: { ...FORM, 'content-encoding': 'gzip' } })), VALID);
    const other = form(request, { another: png(SMALL) });
    const { status } = await post(other, { headers: FORM });
    t.equal(status, 400, 'a part that is not there');
    t.equal((await post(request)).status, 400, 'no parts at all');
  }),
  rule('2.3 part: exactly one of part and data_base64', async (t, service) => {
    const { post } = service;
    t.strictSame(await show(service, { cat: { format: 'png' } }), [400, 'invalid_assets']);
    const request = { state: 'a cat', questions: ASK, assets: { cat: asset({ part: 'file' }) } };
    const found = outcome(await post(form(request, { file: png(SMALL) }), { headers: FORM }));
    t.strictSame(found, [400, 'invalid_assets']);
  }),
];

/** Contract 4.3. */
const REFERENCES: readonly ContractTest[] = [
  rule('4.3 rule 1: found in a string state, and in every string of a JSON state', async (t, service) => {
    for (const state of ['a cat', 'cat', ['cat'], { a: { b: [1, 'the cat'] } }]) {
      t.strictSame(await show(service, assetsOf('cat'), state), VALID, JSON.stringify(state));
    }
  }),
  rule('4.3 rule 1: found in instructions', async (t, service) => {
    const questions = { other: ASK.q, ...one({ instructions: 'Is it a cat?' }) };
    t.strictSame(await show(service, assetsOf('cat'), 'x', questions), VALID);
  }),
  rule('4.3 rule 1: found in descriptions', async (t, service) => {
    for (const question of [
      { type: 'noul', criteria: { true: 'a cat', false: null } },
      { type: 'noul', criteria: { yes: null, no: 'a cat' } },
      { type: 'choice', criteria: { a: null, b: 'a cat' } },
      { type: 'score', criteria: [null, 'a cat'] },
    ]) {
      const found = await show(service, assetsOf('cat'), 'x', { q: question });
      t.strictSame(found, VALID, JSON.stringify(question));
    }
  }),
  rule('4.3 rule 2: not searched in the keys of a JSON state, nor in labels', async (t, service) => {
    for (const [state, question] of [
      [{ cat: 'x', a: { cat: 1 } }, ASK.q],
      ['x', { type: 'choice', criteria: { cat: null, dog: 'x' } }],
      ['x', { type: 'choice', criteria: ['cat', 'dog'] }],
    ]) {
      const found = await show(service, assetsOf('cat'), state, { q: question });
      t.strictSame(found, [400, 'unreferenced_asset'], JSON.stringify([state, question]));
    }
    t.strictSame(await show(service, assetsOf('cat'), 'x', { cat: ASK.q }), [400, 'unreferenced_asset']);
  }),
  rule('4.3 rule 3: matched literally, anywhere in a string', async (t, service) => {
    for (const state of ['concatenate', 'cat', 'a cat.', '"cat"']) {
      t.strictSame(await show(service, assetsOf('cat'), state), VALID, state);
    }
    for (const state of ['Cat', 'CAT', 'c at', 'ca', '']) {
      t.strictSame(await show(service, assetsOf('cat'), state), [400, 'unreferenced_asset'], state);
    }
    for (const reference of ['.*', 'a.c', '$1', '\\d']) {
      t.strictSame(await show(service, assetsOf(reference), `x${reference}y`), VALID, reference);
      t.strictSame(
        await show(service, assetsOf(reference), 'abc123'),
        [400, 'unreferenced_asset'],
        reference,
      );
    }
  }),
  rule('4.3 rule 3: matched before the string is escaped', async (t, service) => {
    for (const reference of ['a "b"', 'a\nb', 'tab\there', 'back\\slash', 'é', '\u{1f600}']) {
      t.strictSame(await show(service, assetsOf(reference), { x: `see ${reference}.` }), VALID, reference);
    }
    t.strictSame(await show(service, assetsOf('\\n'), { x: 'a\nb' }), [400, 'unreferenced_asset']);
  }),
  rule('4.3 rule 4: every use displays the image again', async (t, service) => {
    t.strictSame(await show(service, assetsOf('cat'), 'cat '.repeat(8)), VALID);
    t.strictSame(await show(service, assetsOf('cat'), 'cat '.repeat(9)), [400, 'too_many_images']);
  }),
  rule('4.3 rule 5: the longer reference wins', async (t, service) => {
    const both = assetsOf('cat', 'cat.png');
    t.strictSame(await show(service, both, 'cat.png'), [400, 'unreferenced_asset']);
    t.strictSame(await show(service, both, 'cat.png and cat'), VALID);
    t.strictSame(
      await show(service, assetsOf('at', 'cat'), 'cat'),
      [400, 'unreferenced_asset'],
      'at its end',
    );
    t.strictSame(await show(service, assetsOf('a', 'cat'), 'cat'), [400, 'unreferenced_asset'], 'inside');
  }),
  rule('4.3 rule 6: a reference beyond the first 20,000 characters of the state', async (t, service) => {
    const refused = [400, 'image_reference_truncated'];
    const pad = (length: number) => ' '.repeat(length);
    t.strictSame(
      await show(service, assetsOf('cat'), `${pad(19_997)}cat`),
      VALID,
      'its last character is read',
    );
    t.strictSame(await show(service, assetsOf('cat'), `${pad(19_998)}cat`), refused, 'it is not');
    t.strictSame(await show(service, assetsOf('cat'), `${pad(30_000)}cat`), refused);
    t.strictSame(await show(service, assetsOf('cat'), `cat${pad(30_000)}cat`), refused, 'a second use');
    t.strictSame(await show(service, assetsOf('cat'), `${'😀'.repeat(19_997)}cat`), VALID, 'code points');
  }),
  rule('4.3 rule 6: a JSON state counts as indented JSON', async (t, service) => {
    // The string follows `[`, a line break, two spaces and a quote.
    const pad = (length: number) => [`${' '.repeat(length - 5)}cat`];
    t.strictSame(await show(service, assetsOf('cat'), pad(19_997)), VALID);
    t.strictSame(await show(service, assetsOf('cat'), pad(19_998)), [400, 'image_reference_truncated']);
    const escaped = (breaks: number) => ['\n'.repeat(breaks) + pad(19_997 - 2 * breaks)[0]];
    t.strictSame(await show(service, assetsOf('cat'), escaped(100)), VALID, 'an escape is two characters');
  }),
  rule('4.3 rule 7: every asset is referenced', async (t, service) => {
    const { post } = service;
    const reply = await post({ state: 'cat', questions: ASK, assets: assetsOf('cat', 'a-dog') });
    t.strictSame(outcome(reply), [400, 'unreferenced_asset']);
    t.match(reply.json.error, /a-dog/, 'the message names it');
    t.strictSame(await show(service, assetsOf('cat', 'dog'), 'cat', one({ instructions: 'dog?' })), VALID);
  }),
  rule('4.3 rule 7: every file part is named by an asset', async (t, { post }) => {
    const request = { state: 'a cat', questions: ASK, assets: { cat: { format: 'png', part: 'file' } } };
    const files = { file: png(SMALL), more: png(SMALL) };
    t.strictSame(outcome(await post(form(request, files), { headers: FORM })), [400, 'unreferenced_asset']);
    const none = form({ state: 'x', questions: ASK }, { file: png(SMALL) });
    t.strictSame(outcome(await post(none, { headers: FORM })), [400, 'unreferenced_asset']);
  }),
  rule(
    '4.3 other models: a model without image support refuses assets, after all other checks',
    async (t, service) => {
      t.strictSame(await show(service, assetsOf('cat')), VALID);
      t.equal((await service.post({ state: 'a cat', questions: ASK, assets: {} })).status, 200);
      t.strictSame(await show(service, assetsOf('dog')), [400, 'unreferenced_asset']);
      t.strictSame(await show(service, { cat: asset({ data_base64: 'AAAA' }) }), [
        400,
        'unsupported_image_format',
      ]);
      // Nothing is decoded: the checksums are right, and the pixels are missing.
      const [head, ...tail] = pngChunks(SMALL);
      const empty = [
        SIGNATURE,
        head as Buffer,
        chunk('IDAT', Buffer.from('not deflated')),
        tail.at(-1) as Buffer,
      ];
      const data_base64 = Buffer.concat(empty).toString('base64');
      t.strictSame(await show(service, { cat: asset({ data_base64 }) }), VALID);
    },
  ),
  httpRule('4.3 opt-in header: not needed, and ignored if sent', async (t, { post }) => {
    const headers = { 'x-enable-images': 'true', 'openai-beta': 'images', 'x-any': '1' };
    const body = { state: 'a cat', questions: ASK, assets: assetsOf('cat') };
    t.strictSame(outcome(await post(body, { headers })), VALID);
    t.equal((await post({ state: 'x', questions: ASK }, { headers })).status, 200);
  }),
];

/** Contract 7.2, one test per row, and the image limits of contract 8. */
const REFUSALS: readonly ContractTest[] = [
  rule('7.2 invalid_assets: anything but an object of images', async (t, service) => {
    for (const assets of [[], 'x', 7, true, { cat: 'x' }, { cat: null }, { cat: [] }, { cat: 7 }]) {
      t.strictSame(await show(service, assets), [400, 'invalid_assets'], JSON.stringify(assets));
    }
    for (const over of [{ data_base64: 7 }, { format: 7 }, { data_base64: undefined, part: 7 }]) {
      t.equal((await show(service, { cat: asset(over) }))[0], 400, JSON.stringify(over));
    }
  }),
  rule('7.2 unsupported_image_format: also an animated PNG', async (t, service) => {
    const before = [chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))];
    const data_base64 = png({ ...SMALL, before }).toString('base64');
    t.strictSame(await show(service, { cat: asset({ data_base64 }) }), [400, 'unsupported_image_format']);
    const gif = Buffer.from('GIF89a\x18\x01\x18\x01\x80\0\0', 'latin1').toString('base64');
    t.strictSame(await show(service, { cat: asset({ data_base64: gif }) }), [
      400,
      'unsupported_image_format',
    ]);
  }),
  rule('7.2 invalid_image: damaged and truncated images', async (t, service) => {
    const whole = png();
    const damaged = Buffer.from(whole);
    damaged[60] = (damaged[60] as number) ^ 0xff;
    for (const bytes of [whole.subarray(0, -20), whole.subarray(0, 45), damaged]) {
      const found = await show(service, { cat: asset({ data_base64: bytes.toString('base64') }) });
      t.strictSame(found, [400, 'invalid_image'], `${bytes.length} bytes`);
    }
    const cut = (await jpeg()).subarray(0, 100).toString('base64');
    t.equal((await show(service, { cat: { format: 'jpg', data_base64: cut } }))[0], 400);
    const progressive = await jpeg({ progressive: true });
    for (const [scans, expected] of [
      [20, VALID],
      [21, [400, 'invalid_image']],
    ] as const) {
      const data_base64 = withScans(progressive, scans).toString('base64');
      t.strictSame(await show(service, { cat: { format: 'jpg', data_base64 } }), expected, `${scans} scans`);
    }
  }),
  rule('7.2 image_too_large: 16 MiB decoded, and no more', async (t, service) => {
    const most = 16 * 1024 * 1024;
    const full = pngOfBytes(most).toString('base64');
    t.strictSame(await show(service, { cat: asset({ data_base64: full }) }), VALID);
    const over = pngOfBytes(most + 1).toString('base64');
    t.strictSame(await show(service, { cat: asset({ data_base64: over }) }), [400, 'image_too_large']);
  }),
  rule('7.2 image_dimensions: each side 280 to 1568 pixels', async (t, service) => {
    for (const [width, height] of [
      [280, 280],
      [1_568, 280],
      [280, 1_568],
    ] as const) {
      const data_base64 = png({ width, height }).toString('base64');
      t.strictSame(await show(service, { cat: asset({ data_base64 }) }), VALID, `${width} × ${height}`);
      const photo = (await jpeg({ width, height })).toString('base64');
      t.strictSame(await show(service, { cat: { format: 'jpg', data_base64: photo } }), VALID);
    }
    for (const [width, height] of [
      [279, 280],
      [280, 279],
      [1_569, 280],
      [280, 1_569],
      [1, 1],
    ] as const) {
      for (const [format, bytes] of [
        ['png', png({ width, height })],
        ['jpg', await jpeg({ width, height })],
      ] as const) {
        const assets = { cat: { format, data_base64: bytes.toString('base64') } };
        const reply = await service.post({ state: 'cat', questions: ASK, assets });
        t.strictSame(outcome(reply), [400, 'image_dimensions'], `${format} ${width} × ${height}`);
        t.match(reply.json.error, new RegExp(`${width}\\D+${height}`), 'the message gives the size');
      }
    }
  }),
  rule('7.2 too_many_images: more than 8 assets', async (t, service) => {
    const references = Array.from({ length: 9 }, (_, at) => `image-${at}`);
    t.strictSame(await show(service, assetsOf(...references.slice(1)), references.slice(1)), VALID);
    t.strictSame(await show(service, assetsOf(...references), references), [400, 'too_many_images']);
    const questions = {
      a: { type: 'noul', instructions: references.slice(0, 5).join(' ') },
      b: { type: 'noul', instructions: references.slice(5).join(' ') },
    };
    const found = await show(service, assetsOf(...references), 'x', questions);
    t.strictSame(found, [400, 'too_many_images'], 'also where no question shows more');
  }),
  rule('7.2 too_many_images: a question that displays more than 8', async (t, service) => {
    const questions = (uses: number) => ({
      a: { type: 'noul', instructions: 'cat '.repeat(uses) },
      b: { type: 'choice', criteria: { x: 'cat', y: 'cat cat' } },
    });
    t.strictSame(
      await show(service, assetsOf('cat'), 'cat '.repeat(5), questions(3)),
      VALID,
      '5 + 3 and 5 + 3',
    );
    const found = await show(service, assetsOf('cat'), 'cat '.repeat(5), questions(4));
    t.strictSame(found, [400, 'too_many_images'], '5 + 4');
    t.strictSame(await show(service, assetsOf('cat'), 'x', questions(8)), VALID, 'each question for itself');
  }),
  rule('7.2 bad_multipart: malformed multipart bodies', async (t, { post }) => {
    const request = { state: 'a cat', questions: ASK, assets: { cat: { format: 'png', part: 'file' } } };
    const whole = form(request, { file: png(SMALL) });
    const broken = [
      whole.subarray(0, -10),
      Buffer.concat([whole.subarray(0, -BOUNDARY.length - 6), form({}, { file: png(SMALL) })]),
      Buffer.from('no boundary at all'),
    ];
    for (const body of broken) {
      t.strictSame(
        outcome(await post(body, { headers: FORM })),
        [400, 'bad_multipart'],
        `${body.length} bytes`,
      );
    }
    const headers = { 'content-type': 'multipart/form-data' };
    t.strictSame(
      outcome(await post(whole, { headers })),
      [400, 'bad_multipart'],
      'no boundary in the header',
    );
  }),
  rule('7.2: the messages name the asset', async (t, { post }) => {
    const reference = 'a-recognisable-reference';
    const small = png({ width: 100, height: 100 }).toString('base64');
    for (const over of [{ format: 'gif' }, { type: 'video' }, { data_base64: '!' }, { data_base64: small }]) {
      const assets = { [reference]: asset(over) };
      const { status, json } = await post({ state: reference, questions: ASK, assets });
      t.equal(status, 400);
      t.match(json.error, reference, json.type);
    }
  }),
];

export const IMAGES = [...ASSETS, ...REFERENCES, ...REFUSALS];
