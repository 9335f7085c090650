import { test } from 'tap';
import { phasesOf } from '../../src/console/api/api-types.js';
import { addedImages, type Draft, option, question, withPart } from '../../src/console/ask/ask-draft.js';
import { questionsNode, questionsOf } from '../../src/console/ask/ask-questions.js';
import { compareAnswers } from '../../src/console/ask/compare.js';
import { EXAMPLES, FIRST_DRAFT } from '../../src/console/ask/examples.js';
import { orientationOf } from '../../src/console/ask/orientation.js';
import { bodyOf, buildRequest, usesOf } from '../../src/console/ask/request.js';
import { sentOrder } from '../../src/console/ask/sent-order.js';
import { LINK_CHARACTERS_MAX, packDraft, unpackDraft } from '../../src/console/ask/share.js';
import { repeat, spreadOf, widest } from '../../src/console/ask/spread.js';
import { extentOfJson, extentOfText, formatJson } from '../../src/console/json/extent.js';
import { indented } from '../../src/console/json/json-node.js';
import { readJson } from '../../src/console/json/read-json.js';
import { checkRequest, openBody } from '../../src/decide/index.js';
import { stateText } from '../../src/decide/request/state-text.js';
import type { CatalogBuild } from '../../src/engine/index.js';
import { HOSTILE, hostileDraft, imageDraft } from '../support/console/drafts.js';
import { jpeg } from '../support/images/jpeg.js';
import { png } from '../support/images/png.js';

const MODEL = { id: 'any', model: { id: 'any', reads_images: true } } as CatalogBuild;
/** Reads a request as the server does. Throws ApiError. */
const checked = (text: string, files: ReadonlyMap<string, Uint8Array> = new Map()) => {
  const terms = { model: null, files, format: 'decide', allowedModels: null } as const;
  return checkRequest(openBody(Buffer.from(text)), terms, { find: () => MODEL }).request;
};

const FILES = new Map([['image-1', new Uint8Array()]]);
test('JSON keeps its order, its repeated keys and its numbers', async (t) => {
  const source =
    '{\n  "b": 1.0,\n  "10": 12345678901234567890,\n  "2": [],\n  "__proto__": {},\n  "2": [\n    -0,\n    "\\u2028é"\n  ]\n}';
  t.equal(formatJson(source.replace(/\n */g, '')), source.replace('\\u2028', '\u2028'));
  for (const wrong of ['', '{', '{"a":1,}', 'nul', '[1] 2']) t.throws(() => readJson(wrong), SyntaxError);
  t.throws(() => readJson('['.repeat(70) + ']'.repeat(70)), /nested/);
});

test('the marker stands where the server stops reading', async (t) => {
  const text = `${'é'.repeat(9_000)}${'😀'.repeat(12_000)}`;
  const extent = extentOfText(text);
  t.equal(extent.characters, 21_000);
  t.equal(text.slice(0, extent.end as number), stateText({ kind: 'text', value: text }, 20_000));
  t.equal(extentOfText('x'.repeat(20_000)).end, null);
  t.equal(extentOfText('x'.repeat(20_001)).end, 20_000);
  const source = formatJson(
    JSON.stringify({ list: Array.from({ length: 3_000 }, (_, at) => `entry ${at}`) }),
  );
  const ofJson = extentOfJson(source);
  const read = stateText(checked(`{"state":${source},"questions":{"q":{"type":"noul"}}}`).state, 20_000);
  t.equal(source.slice(0, ofJson.end as number), read);
  t.equal(ofJson.characters, [...source].length);
  const compact = extentOfJson(JSON.stringify(JSON.parse(source)));
  t.strictSame([compact.characters, compact.end], [ofJson.characters, null], 'counted as it is read');
  t.match(extentOfJson('{'), { problem: String, end: null });
  t.match(extentOfJson('9'.repeat(300_000)), { more: true, problem: null });
});

test('what the form says is what the server reads', async (t) => {
  for (const { draft } of EXAMPLES.filter((each) => !each.readsImages)) {
    const request = buildRequest({ ...FIRST_DRAFT, ...draft() });
    t.ok(checked(indented(request.node)).questions.length > 0);
  }
  const { node, questions } = buildRequest(hostileDraft);
  const read = checked(indented(node));
  t.strictSame(
    read.questions.map(({ name }) => name),
    HOSTILE,
  );
  t.strictSame(
    questions.map(({ name }) => name),
    HOSTILE,
  );
  for (const { options } of read.questions) {
    t.strictSame(
      options.map(({ key, description }) => [key, description]),
      HOSTILE.map((name) => [name, name]),
    );
  }
  t.strictSame(questions[0]?.options, HOSTILE);
});

test('questions go from the form to JSON and back', async (t) => {
  const drafts = [
    question('plain', 'noul', 'Is it?'),
    question('sides', 'noul', '', [option('Yes', 'it is'), option('No', '')]),
    question('labels', 'choice', '', [option('a'), option('b')]),
    question('described', 'choice', 'Which?', [option('10', 'ten'), option('2', '')]),
    question('levels', 'score', 'How much?', [option('', 'low'), option('', ''), option('', 'high')]),
  ];
  const source = indented(questionsNode(drafts));
  t.equal(indented(questionsNode(questionsOf(readJson(source)))), source);
  const kept = [
    '{"q":{"type":"noul","instructions":null,"criteria":null}}',
    '{"q":{"type":"noul","criteria":{"true":"x","false":null}}}',
    '{"q":{"type":"score","criteria":[null,"x"]}}',
    '{"q":{"type":"choice","criteria":{"a":null,"b":null}}}',
  ];
  for (const json of kept) {
    const sent = (questions: string) => checked(`{"state":"s","questions":${questions}}`).questions;
    t.strictSame(sent(indented(questionsNode(questionsOf(readJson(json))))), sent(json), json);
  }
  const refused = [
    '[]',
    '{"q":{}}',
    '{"q":{"type":"noul","instructions":[]}}',
    '{"q":{"type":"choice"}}',
    '{"q":{"type":"score","criteria":{}}}',
    '{"q":{"type":"noul","criteria":{"yes":"x"}}}',
    '{"q":{"type":"noul","criteria":{"yes":"x","false":"y"}}}',
    '{"q":{"type":"noul","criteria":{"yes":"x","no":"y","other":"z"}}}',
    '{"q":{"type":"noul","criteria":{"yes":"x","no":""}}}',
    '{"q":{"type":"noul","criteria":""}}',
    '{"q":{"type":"noul","instructions":""}}',
    '{"q":{"type":"score","criteria":["","x"]}}',
    '{"q":{"type":"choice","criteria":{"a":"","b":"x"}}}',
    '{"q":{"type":"choice","criteria":["a",null]}}',
    '{"q":{"type":"choice","criteria":[{}]}}',
  ];
  for (const json of refused) t.throws(() => questionsOf(readJson(json)), { name: 'NotInForm' }, json);
});

test('what is changed while images are decoded is kept', async (t) => {
  const [image] = imageDraft.images;
  if (image === undefined) return t.fail('no image');
  // The images of two drops arrive after a text was typed.
  const typed = withPart({ ...FIRST_DRAFT, state: '' }, { state: 'typed' });
  const first = withPart(typed, (now) => addedImages(now, [image]));
  const both = withPart(first, (now) => addedImages(now, [image, image]));
  t.strictSame(
    both.images.map(({ name }) => name),
    ['[a.png]', '[a.png_2]', '[a.png_3]'],
  );
  t.equal(both.state, 'typed\n[a.png]\n[a.png_2] [a.png_3]');
  t.equal(withPart({ ...typed, state: '' }, (now) => addedImages(now, [image])).state, '[a.png]');
  const json = withPart({ ...typed, stateKind: 'json', state: '{}' }, (now) => addedImages(now, [image]));
  t.strictSame([json.state, json.images.length], ['{}', 1]);
  t.equal(withPart(typed, (now) => addedImages(now, [])).state, 'typed');
});

test('a draft that is not a valid request shows what to correct', async (t) => {
  const json: Draft = { ...FIRST_DRAFT, stateKind: 'json', state: '{' };
  t.throws(() => buildRequest(json), /state is not valid JSON/);
  t.throws(
    () => buildRequest({ ...FIRST_DRAFT, questionsKind: 'json', questionsJson: '' }),
    /questions are not valid JSON/,
  );
  const twice = [question('a', 'noul', ''), question('a', 'noul', '')];
  t.throws(() => buildRequest({ ...FIRST_DRAFT, questions: twice }), /Two questions are called "a"/);
});

test('images are file parts, and their uses are counted', async (t) => {
  const request = buildRequest(imageDraft);
  const { body, headers } = bodyOf(request);
  t.ok(body instanceof FormData);
  t.strictSame(headers, {});
  t.strictSame([...(body as FormData).keys()], ['request', 'image-1']);
  t.equal(checked((body as FormData).get('request') as string, FILES).imageBudget, 70);
  t.equal(usesOf('[a.png]', imageDraft), 2);
  t.equal(usesOf('', imageDraft), 0);
  t.equal(usesOf('"', { ...imageDraft, stateKind: 'json', state: '"\\""' }), 1);
});

test('a link holds the request, and neither key nor images', async (t) => {
  const packed = await packDraft(hostileDraft);
  t.match(packed, /^[\w-]+$/);
  const opened = await unpackDraft(packed);
  t.equal(indented(buildRequest(opened).node), indented(buildRequest(hostileDraft).node));
  t.strictSame((await unpackDraft(await packDraft(imageDraft))).images, []);
  const random = Array.from({ length: 40_000 }, () => Math.random().toString(36)[2]).join('');
  await t.rejects(packDraft({ ...FIRST_DRAFT, state: random }), /too long for a link/);
  t.ok(packed.length < LINK_CHARACTERS_MAX);
});

test('a link from elsewhere is refused unless it holds a request', async (t) => {
  const pack = async (text: string) => {
    const bytes = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    return Buffer.from(await new Response(bytes).arrayBuffer()).toString('base64url');
  };
  const damaged = [
    '',
    'x',
    '%',
    await pack(''),
    await pack('{}'),
    await pack('{"state":1,"questions":"{}"}'),
    await pack('x'.repeat(5_000_000)),
  ];
  for (const link of damaged) await t.rejects(unpackDraft(link), { name: 'LinkError' }, link.slice(0, 20));
  const wrong = await unpackDraft(
    await pack('{"state":"x","questions":"nonsense","kind":"html","budget":1,"model":{}}'),
  );
  t.match(wrong, { stateKind: 'text', questionsKind: 'json', imageBudget: 280, model: '' });
});

test('answers to questions whose names are whole numbers are compared in the order sent', async (t) => {
  const choice = (probabilities: Readonly<Record<string, number>>) =>
    ({ type: 'choice', choice: '10', confidence: 0, probabilities }) as const;
  const asked = (name: string, options: readonly string[]) =>
    ({ name, type: 'choice', instructions: '', options }) as const;
  const first = {
    questions: [asked('10', ['b', '10', '2']), asked('2', [])],
    response: { answers: { '2': choice({ a: 1 }), '10': choice({ '2': 0.1, '10': 0.6, b: 0.3 }) } },
  };
  const second = {
    questions: [asked('7', []), asked('1', [])],
    response: { answers: { '1': choice({}), '7': choice({}) } },
  };
  const compared = compareAnswers(first, second);
  t.strictSame(
    compared.map(({ name, options }) => [name, options.map((each) => each.name)]),
    [
      ['10', ['b', '10', '2']],
      ['2', ['a']],
      ['7', []],
      ['1', []],
    ],
  );
  t.equal(compared[0]?.options[1]?.first.value, 0.6);
  t.strictSame(sentOrder(['10', 'gone', '2'], { '1': 0, '2': 0, '10': 0 }), ['10', '2', '1']);
});

test('the spread of responses, and what repeats a request', async (t) => {
  const response = (noul: number, p: number) => ({
    answers: {
      a: { type: 'noul', noul },
      b: { type: 'choice', choice: 'x', confidence: 0, probabilities: { x: p, ['__proto__']: 0 } },
    } as const,
  });
  const spreads = spreadOf([response(0.8, 0.5), response(0.9, 0.5001), response(0.85, 0.4999)]);
  t.strictSame(spreads.get('a')?.get(''), { low: 0.8, high: 0.9 });
  t.strictSame(spreads.get('b')?.get('x'), { low: 0.4999, high: 0.5001 });
  t.equal(Number(widest(spreads).toFixed(4)), 0.1);
  t.equal(widest(spreadOf([response(0.8, 0.5), response(0.8, 0.5)])), 0);
  let [running, most, asked] = [0, 0, 0];
  const counts: number[] = [];
  const task = async () => {
    running += 1;
    asked += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return asked;
  };
  t.equal((await repeat(20, 4, task, (done) => counts.push(done))).length, 20);
  t.strictSame([asked, most, counts.at(-1)], [20, 4, 20]);
  await t.rejects(
    repeat(
      20,
      4,
      () => Promise.reject(new Error('no')),
      () => {},
    ),
    /no/,
  );
});

test('the phases of Server-Timing', async (t) => {
  t.strictSame(phasesOf('prepare;dur=0.52, queue;dur=10, engine;dur=1.5'), [
    { name: 'prepare', ms: 0.52 },
    { name: 'queue', ms: 10 },
    { name: 'engine', ms: 1.5 },
  ]);
  t.strictSame(phasesOf(null), []);
  t.strictSame(phasesOf('cache, db;desc="x"'), []);
});

test('the orientation of an image is read from whatever is left of its file', async (t) => {
  const whole = await jpeg({ orientation: 6 });
  t.equal(await orientationOf(new Blob([whole]), 'jpeg'), 6);
  t.equal(await orientationOf(new Blob([await jpeg()]), 'jpeg'), 1);
  t.equal(await orientationOf(new Blob([png()]), 'png'), 1);
  for (let end = 3; end < whole.length; end += 7) {
    const cut = new Blob([whole.subarray(0, end)]);
    for (const format of ['jpeg', 'png'] as const) {
      const found = await orientationOf(cut, format);
      if (found !== 1 && found !== 6) t.fail(`${format} of ${end} bytes: ${found}`);
    }
  }
});
