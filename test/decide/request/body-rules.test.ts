import { test } from 'tap';
import type { ErrorType } from '../../../src/api/index.js';
import { openBody } from '../../../src/decide/index.js';
import {
  listOf,
  OPTIONS,
  questionsOf,
  read,
  readQuestion,
  refusal,
  refusedAs,
} from '../../support/decide/bodies.js';

const REST = '"questions":{"q":{"type":"noul"}}';

test('a minimal body is read with every default', async (t) => {
  t.strictSame(read('{"state":"s","questions":{"q":{"type":"noul"}}}'), {
    model: null,
    state: { kind: 'text', value: 's' },
    questions: [
      {
        name: 'q',
        type: 'noul',
        instructions: null,
        options: [
          { key: 'true', name: 'Yes', description: null },
          { key: 'false', name: 'No', description: null },
        ],
      },
    ],
    imageBudget: 280,
    assets: [],
  });
});

test('invalid_json: not UTF-8', async (t) => {
  t.equal(refusedAs(Buffer.from([0x22, 0xff, 0x22])), 'invalid_json');
  t.equal(refusedAs(Buffer.from(`{"state":"\xe9",${REST}}`, 'latin1')), 'invalid_json');
});

test('invalid_json: a byte order mark', async (t) => {
  t.equal(refusedAs(`\ufeff{"state":"s",${REST}}`), 'invalid_json');
  t.throws(() => openBody(Buffer.from('\ufeff{}')), { message: /byte order mark/ });
  t.throws(() => openBody(Buffer.from('\ufeff{}'), [], 'line'), { message: /^The line begins with a byte/ });
});

test('invalid_json: not JSON, and the message quotes nothing of it', async (t) => {
  for (const body of ['', ' ', '{', '{"secret":secret}', "{'secret':1}", '{"state":1,}', '{}{}', 'NaN']) {
    const error = refusal(body);
    t.equal(error.type, 'invalid_json', body);
    t.notMatch(error.message, /secret/);
  }
});

test('a view into a larger buffer is read as far as it goes', async (t) => {
  const body = Buffer.from(`xx{"state":"s",${REST}}xx`);
  t.doesNotThrow(() => read(new Uint8Array(body.buffer, body.byteOffset + 2, body.length - 4)));
});

test('invalid_request: the body is not an object', async (t) => {
  for (const body of ['null', '[]', '"x"', '1', 'true']) t.equal(refusedAs(body), 'invalid_request', body);
});

test('invalid_request: model is not a string', async (t) => {
  for (const model of ['1', 'true', '[]', '{}']) {
    t.equal(refusedAs(`{"model":${model},"state":"s",${REST}}`), 'invalid_request', model);
  }
});

test('model: absent and null are the default, a known one is kept', async (t) => {
  t.equal(read(`{"model":null,"state":"s",${REST}}`).model, null);
  t.equal(read(`{"model":"known","state":"s",${REST}}`).model, 'known');
});

test('model_not_found: an unknown model, named in the message', async (t) => {
  const error = refusal(`{"model":"oth\\ner","state":"s",${REST}}`);
  t.equal(error.type, 'model_not_found');
  t.match(error.message, '"oth\\ner"');
  t.match(error.message, 'GET /v1/models lists its models');
  t.equal(refusedAs(`{"model":"","state":"s",${REST}}`), 'model_not_found');
});

test('an unknown model is the default one where the endpoint says so', async (t) => {
  const options = { ...OPTIONS, format: 'systemone' } as const;
  t.equal(read(`{"model":"other","state":"s",${REST}}`, options).model, null);
  t.equal(read(`{"model":"known","state":"s",${REST}}`, options).model, 'known');
});

test('missing: no state, or a null one', async (t) => {
  t.equal(refusedAs(`{${REST}}`), 'missing');
  t.equal(refusedAs(`{"state":null,${REST}}`), 'missing');
  t.equal(refusedAs(`{"state":1,"state":null,${REST}}`), 'missing');
});

test('state: any other JSON, in the order sent', async (t) => {
  for (const state of ['""', '0', 'false', '[]', '{}']) {
    t.doesNotThrow(() => read(`{"state":${state},${REST}}`), state);
  }
  const { state } = read(`{"st\\u0061te":{"b":1,"10":2,"b":1.0},${REST}}`);
  t.strictSame(state, {
    kind: 'object',
    entries: [
      ['b', { kind: 'literal', source: '1' }],
      ['10', { kind: 'literal', source: '2' }],
      ['b', { kind: 'literal', source: '1.0' }],
    ],
  });
});

test('if a field is repeated, the last one counts', async (t) => {
  const body = `{"state":"first","questions":1,"state":"last",${REST}}`;
  t.strictSame(read(body).state, { kind: 'text', value: 'last' });
  t.equal(readQuestion('{"type":"score","type":"noul"}').type, 'noul');
});

test('invalid_questions: absent, null or empty', async (t) => {
  t.equal(refusedAs('{"state":"s"}'), 'invalid_questions');
  t.equal(refusedAs('{"state":"s","questions":null}'), 'invalid_questions');
  t.equal(refusedAs('{"state":"s","questions":{}}'), 'invalid_questions');
});

test('invalid_request: questions is not an object', async (t) => {
  for (const questions of ['[]', '"x"', '1', 'false']) {
    t.equal(refusedAs(`{"state":"s","questions":${questions}}`), 'invalid_request', questions);
  }
});

test('invalid_questions: a question named twice, however it is escaped', async (t) => {
  const error = refusal('{"state":"s","questions":{"a":{"type":"noul"},"\\u0061":{"type":"noul"}}}');
  t.equal(error.type, 'invalid_questions');
  t.match(error.message, '"a"');
});

test('too_many_questions: 16 are accepted, 17 refused', async (t) => {
  t.equal(read(`{"state":"s","questions":${questionsOf(16)}}`).questions.length, 16);
  const error = refusal(`{"state":"s","questions":${questionsOf(17)}}`);
  t.equal(error.type, 'too_many_questions');
  t.match(error.message, /17.*16/);
});

test('invalid_questions: a name of 1,024 code points is accepted, one more is refused', async (t) => {
  const body = (length: number) => `{"state":"s","questions":{"${'😀'.repeat(length)}":{"type":"noul"}}}`;
  t.equal(read(body(1_024)).questions.length, 1);
  const error = refusal(body(1_025));
  t.equal(error.type, 'invalid_questions');
  t.match(error.message, '1024 characters');
});

test('question names keep their order, `__proto__` and the empty name included', async (t) => {
  const names = ['b', '10', '2', '__proto__', '', 'a\nb', 'constructor'];
  const questions = names.map((name) => `${JSON.stringify(name)}:{"type":"noul"}`).join(',');
  const request = read(`{"state":"s","questions":{${questions}}}`);
  t.strictSame(
    request.questions.map(({ name }) => name),
    names,
  );
});

test('image_budget: 280 by default, 70, 140 and 280 as numbers', async (t) => {
  const budget = (source: string) => read(`{"state":"s",${REST},"image_budget":${source}}`).imageBudget;
  t.equal(read(`{"state":"s",${REST}}`).imageBudget, 280);
  t.equal(budget('70'), 70);
  t.equal(budget('140'), 140);
  t.equal(budget('280'), 280);
  t.equal(budget('7.0e1'), 70);
});

test('invalid_image_budget: any other value', async (t) => {
  for (const value of ['null', '71', '"70"', '0', 'true', '[70]', '{}', '1e999']) {
    t.equal(refusedAs(`{"state":"s",${REST},"image_budget":${value}}`), 'invalid_image_budget', value);
  }
});

test('assets: an empty object is none', async (t) => {
  const has = (source: string) => read(`{"state":"s",${REST},"assets":${source}}`).assets.length > 0;
  t.equal(has('{}'), false);
  t.equal(has('{"a":{"format":"png","part":"p"}}'), true);
});

test('invalid_assets: not an object', async (t) => {
  for (const value of ['null', '[]', '"x"', '1', 'false']) {
    t.equal(refusedAs(`{"state":"s",${REST},"assets":${value}}`), 'invalid_assets', value);
  }
});

test('other fields are ignored, of the body and of a question', async (t) => {
  const body =
    '{"stream":{},"state":"s","questions":{"q":{"type":"noul","weight":[1]}},"__proto__":{"model":1}}';
  t.equal(read(body).questions.length, 1);
});

test('a body with several errors is refused for the first one', async (t) => {
  const good = '"a":{"type":"noul"}';
  const steps: Array<readonly [string, ErrorType]> = [
    ['{"model":1,"questions":1,"image_budget":1,"assets":1', 'invalid_json'],
    ['{"model":1,"questions":1,"image_budget":1,"assets":1}', 'invalid_request'],
    ['{"model":"no","questions":1,"image_budget":1,"assets":1}', 'model_not_found'],
    ['{"questions":1,"image_budget":1,"assets":1}', 'missing'],
    ['{"state":1,"questions":1,"image_budget":1,"assets":1}', 'invalid_request'],
    [`{"state":1,"questions":{"q0":1,${questionsOf(17).slice(1)},"assets":1}`, 'invalid_questions'],
    [`{"state":1,"questions":{"a":1,${questionsOf(16).slice(1)},"assets":1}`, 'too_many_questions'],
    [`{"state":1,"questions":{"b":1,${good}},"image_budget":1}`, 'invalid_question'],
    [`{"state":1,"questions":{${good},"b":{"type":"x","instructions":1},"c":1}}`, 'invalid_type'],
    [
      `{"state":1,"questions":{"b":{"type":"choice","instructions":1,"criteria":${listOf(27)}}}}`,
      'invalid_question',
    ],
    [`{"state":1,"questions":{"b":{"type":"choice","criteria":${listOf(27)}},"c":1}}`, 'too_many_options'],
    [`{"state":1,"questions":{${good}},"image_budget":1,"assets":1}`, 'invalid_image_budget'],
    [`{"state":1,"questions":{${good}},"assets":1}`, 'invalid_assets'],
  ];
  for (const [body, type] of steps) t.equal(refusedAs(body), type, body.slice(0, 80));
});

test('names in messages are cut and hold no raw control characters', async (t) => {
  const name = `\u0000\u0007${'n'.repeat(100)}`;
  const error = refusal(`{"state":"s","questions":{${JSON.stringify(name)}:1}}`);
  t.match(error.message, `"\\u0000\\u0007${'n'.repeat(62)}…"`);
  t.notMatch(error.message, /\p{Cc}/u);
});
