import { test } from 'tap';
import { ApiError, LIMITS } from '../../../src/api/index.js';
import type { ImageUse } from '../../../src/decide/decide-types.js';
import { ANY_MODEL, checkRequest, openBody } from '../../../src/decide/index.js';
import { stateText } from '../../../src/decide/request/state-text.js';
import { OPTIONS, questionRefusedAs, read, refusedAs, withQuestion } from '../../support/decide/bodies.js';

const FAMILY = { ...OPTIONS, format: 'systemone' } as const;
const question = (source: string) => read(withQuestion(source), FAMILY).questions[0];
const descriptions = (type: string, criteria: string) =>
  question(`{"type":"${type}","criteria":${criteria}}`)?.options.map(({ description }) => description);

/** The type of the error for a question on `/v1/systemone`. */
function refused(source: string): ApiError {
  try {
    question(source);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${source.slice(0, 100)}`);
}

test('instructions: an object or a list is its indented JSON, in the order and the numbers sent', async (t) => {
  const instructions = '{"b":1.0,"10":[true,null]}';
  const expected = '{\n  "b": 1.0,\n  "10": [\n    true,\n    null\n  ]\n}';
  t.equal(question(`{"type":"noul","instructions":${instructions}}`)?.instructions, expected);
  t.equal(question('{"type":"noul","instructions":[]}')?.instructions, '[]');
  t.equal(question('{"type":"noul","instructions":"Is it?"}')?.instructions, 'Is it?');
  t.equal(question('{"type":"noul","instructions":null}')?.instructions, null);
});

test('descriptions: an object or a list is its indented JSON', async (t) => {
  t.strictSame(descriptions('choice', '{"a":{"x":[1]},"b":["y"],"c":null,"d":"text"}'), [
    '{\n  "x": [\n    1\n  ]\n}',
    '[\n  "y"\n]',
    null,
    'text',
  ]);
  t.strictSame(descriptions('score', '[{"x":1},["y"],null,"text"]'), [
    '{\n  "x": 1\n}',
    '[\n  "y"\n]',
    null,
    'text',
  ]);
  t.strictSame(descriptions('noul', '{"true":{"x":1},"false":[]}'), ['{\n  "x": 1\n}', '[]']);
});

test('noul criteria: the side that is left out has no description', async (t) => {
  t.strictSame(descriptions('noul', '{}'), [null, null]);
  t.strictSame(descriptions('noul', '{"true":"a"}'), ['a', null]);
  t.strictSame(descriptions('noul', '{"false":"a"}'), [null, 'a']);
  t.strictSame(descriptions('noul', '{"yes":"a"}'), ['a', null]);
  t.strictSame(descriptions('noul', '{"no":["a"]}'), [null, '[\n  "a"\n]']);
  t.strictSame(descriptions('noul', '{"no":"b","yes":"a"}'), ['a', 'b']);
});

test('state: null is the state `null`', async (t) => {
  t.equal(stateText(read('{"state":null,"questions":{"q":{"type":"noul"}}}', FAMILY).state), 'null');
});

test('nothing else is read beyond the contract', async (t) => {
  for (const source of [
    'null',
    '[]',
    '{"type":"noul","instructions":1}',
    '{"type":"noul","instructions":true}',
    '{"type":"noul","criteria":[]}',
    '{"type":"noul","criteria":"a"}',
    '{"type":"noul","criteria":{"maybe":"a"}}',
    '{"type":"noul","criteria":{"true":"a","no":"b"}}',
    '{"type":"noul","criteria":{"true":"a","true":"b"}}',
    '{"type":"noul","criteria":{"true":1}}',
    '{"type":"choice"}',
    '{"type":"choice","criteria":{}}',
    '{"type":"choice","criteria":{"a":1}}',
    '{"type":"choice","criteria":[["a"]]}',
    '{"type":"choice","criteria":[{"a":1}]}',
    '{"type":"score","criteria":["a"]}',
    '{"type":"score","criteria":{"0":"a","1":"b"}}',
    '{"type":"score","criteria":["a",1]}',
  ]) {
    t.equal(refused(source).type, 'invalid_question', source);
  }
  t.equal(refused('{"instructions":{}}').type, 'invalid_type');
  const labels = Array.from({ length: 27 }, (_, at) => `"l${at}":{"x":1}`).join();
  t.equal(refused(`{"type":"choice","criteria":{${labels}}}`).type, 'too_many_options');
});

test('a structured text may be as long as its limit as indented JSON, and no longer', async (t) => {
  // Two brackets, a line break and two spaces, two quotes, a line break.
  const list = (length: number) => `["${'é'.repeat(length - 8)}"]`;
  const most = LIMITS.structuredTextCodePoints;
  const source = (length: number) => `{"type":"noul","instructions":${list(length)}}`;
  t.equal(question(source(most))?.instructions?.length, most);
  const error = refused(source(most + 1));
  t.equal(error.type, 'invalid_question');
  t.match(error.message, /"q".*20000/);
  const plain = 'a'.repeat(most + 1);
  t.equal(
    question(`{"type":"noul","instructions":"${plain}"}`)?.instructions,
    plain,
    'a text has no such limit',
  );
});

test('the contract’s own path reads none of it', async (t) => {
  t.equal(questionRefusedAs('{"type":"noul","instructions":{}}'), 'invalid_question');
  t.equal(questionRefusedAs('{"type":"noul","criteria":{"true":"a"}}'), 'invalid_question');
  t.equal(questionRefusedAs('{"type":"choice","criteria":{"a":{}}}'), 'invalid_question');
  t.equal(refusedAs('{"state":null,"questions":{"q":{"type":"noul"}}}'), 'missing');
});

test('4.3 rules 1 to 3: references are found in the strings of an object or a list, not in its JSON', async (t) => {
  const image = { format: 'png', data_base64: 'aaaa' };
  const shownBy = (question: object, reference: string) => {
    const body = {
      state: 's',
      questions: { q: { type: 'noul', ...question } },
      assets: { [reference]: image },
    };
    const terms = { model: null, files: new Map(), allowedModels: null, format: 'systemone' } as const;
    const { request, uses } = checkRequest(openBody(Buffer.from(JSON.stringify(body))), terms, ANY_MODEL);
    const [asked] = request.questions;
    t.notOk(JSON.stringify(asked).includes('"json"'), 'only the text is left');
    const { instructions = [], descriptions = [] } = uses.questions[0] ?? {};
    const cut = (text: string | null | undefined, found: readonly ImageUse[]) =>
      found.map(({ start, end }) => text?.slice(start, end));
    return [
      ...cut(asked?.instructions, instructions),
      ...descriptions.flatMap((found, at) => cut(asked?.options[at]?.description, found)),
    ];
  };
  const refusal = (question: object, reference: string) => {
    try {
      return shownBy(question, reference);
    } catch (error) {
      return (error as ApiError).type;
    }
  };
  t.strictSame(shownBy({ instructions: { a: 'see "p" here', b: ['"p"'] } }, '"p"'), ['\\"p\\"', '\\"p\\"']);
  t.strictSame(shownBy({ instructions: ['see\nphoto'] }, 'see\nphoto'), ['see\\nphoto']);
  t.strictSame(shownBy({ criteria: { no: { is: 'é pic' }, yes: 'pic' } }, 'pic'), ['pic', 'pic']);
  t.strictSame(shownBy({ instructions: 'a "p"' }, '"p"'), ['"p"'], 'a string as before');
  t.strictSame(shownBy({ type: 'score', criteria: [['pic'], null] }, 'pic'), ['pic']);
  t.equal(refusal({ instructions: { photo: 'compare' } }, 'photo'), 'unreferenced_asset', 'a key');
  t.equal(refusal({ instructions: { photo: 'compare' } }, '": "'), 'unreferenced_asset', 'punctuation');
  t.equal(refusal({ instructions: { a: true } }, 'true'), 'unreferenced_asset', 'a literal');
  t.equal(refusal({ instructions: Array(9).fill('pic') }, 'pic'), 'too_many_images');
});
