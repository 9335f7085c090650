import { BUILDS, type Reply, type Service } from '../support/contract/service.js';
import { ASK, type ContractTest, rule } from '../support/contract/suite.js';

const many = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const questions = (count: number) => Object.fromEntries(many(count).map((name) => [name, ASK.q]));
const one = (question: unknown) => ({ state: 'A parcel was lost.', questions: { q: question } });

/** The answers to one question in several forms. */
const ask = async ({ post }: Service, question: unknown): Promise<Reply> => post(one(question));

/** Contract 2.1. */
const BODY: readonly ContractTest[] = [
  rule('2.1 state: a string, or any other JSON value', async (t, { post }) => {
    for (const state of ['text', '', {}, { a: [1, null, true] }, [], ['a'], 7, 1.5, true, false]) {
      t.equal((await post({ state, questions: ASK })).status, 200, JSON.stringify(state));
    }
  }),
  rule('2.1 state: required', async (t, { post }) => {
    for (const state of [undefined, null]) {
      const { status, json } = await post({ state, questions: ASK });
      t.strictSame([status, json.type], [422, 'missing'], `${state}`);
    }
  }),
  rule(
    '2.1 state: JSON is read indented, its keys in the order sent, its numbers as written',
    async (t, { post }) => {
      const json = '{"b":1,"10":[],"n":12345678901234567890,"x":1.0,"o":{"é":"\\u0000\\""}}';
      const indented = [
        '{',
        '  "b": 1,',
        '  "10": [],',
        '  "n": 12345678901234567890,',
        '  "x": 1.0,',
        '  "o": {',
        '    "é": "\\u0000\\""',
        '  }',
        '}',
      ].join('\n');
      const asJson = await post(`{"state":${json},"questions":${JSON.stringify(ASK)}}`);
      const asText = await post({ state: indented, questions: ASK });
      t.equal(asJson.status, 200);
      t.equal(asJson.text, asText.text);
      const other = await post({ state: JSON.parse(json), questions: ASK });
      t.not(other.json.usage.input_tokens, asText.json.usage.input_tokens, 'another order is another text');
    },
  ),
  rule('2.1 questions: 1 to 16', async (t, { post }) => {
    for (const count of [1, 16]) {
      const { status, json } = await post({ state: 'x', questions: questions(count) });
      t.equal(status, 200);
      t.equal(Object.keys(json.answers).length, count);
    }
    const none = await post({ state: 'x', questions: {} });
    t.strictSame([none.status, none.json.type], [422, 'invalid_questions']);
    const more = await post({ state: 'x', questions: questions(17) });
    t.strictSame([more.status, more.json.type], [422, 'too_many_questions']);
  }),
  rule(
    '2.1 questions: answers come back under the caller’s names, in the same order',
    async (t, { post }) => {
      const names = ['b', '10', '2', '__proto__', '', 'a "quoted"\nname', 'é😀', 'constructor'];
      const list = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(ASK.q)}`).join(',');
      const { text } = await post(`{"state":"x","questions":{${list}}}`);
      const places = names.map((name) => text.indexOf(`${JSON.stringify(name)}:{"type":"noul"`));
      t.ok(
        places.every((place) => place > 0),
        text,
      );
      t.strictSame(
        places,
        [...places].sort((a, b) => a - b),
      );
    },
  ),
  rule('2.1 questions: required, and an object', async (t, { post }) => {
    const absent = await post({ state: 'x' });
    t.strictSame([absent.status, absent.json.type], [422, 'invalid_questions']);
    for (const wrong of [[ASK.q], 'text', 7, true]) {
      const { status, json } = await post({ state: 'x', questions: wrong });
      t.strictSame([status, json.type], [400, 'invalid_request'], JSON.stringify(wrong));
    }
  }),
  rule('2.1 assets: optional', async (t, { post }) => {
    for (const assets of [undefined, {}]) {
      t.equal((await post({ state: 'x', questions: ASK, assets })).status, 200, JSON.stringify(assets));
    }
    for (const path of ['/v1/decide', '/v1/systemone']) {
      const { status, json } = await post({ state: 'x', questions: ASK, assets: null }, { path });
      t.strictSame([status, json.type], [400, 'invalid_assets'], 'null is no object (7.2)');
    }
  }),
  rule('2.1 image_budget: 70, 140, 280 or absent', async (t, { post }) => {
    for (const image_budget of [undefined, 70, 140, 280]) {
      t.equal((await post({ state: 'x', questions: ASK, image_budget })).status, 200, `${image_budget}`);
    }
    for (const image_budget of [null, 0, 69, 71, 560, '70', true, [], {}]) {
      const { status, json } = await post({ state: 'x', questions: ASK, image_budget });
      t.strictSame([status, json.type], [422, 'invalid_image_budget'], JSON.stringify(image_budget));
    }
  }),
  rule('2.1 model: an id of the list, a build of it, or absent for the default', async (t, { post }) => {
    for (const [model, build] of [
      [undefined, BUILDS['decider-g-12b']],
      [null, BUILDS['decider-g-12b']],
      ...Object.entries(BUILDS),
      ...Object.values(BUILDS).map((each) => [each, each]),
    ]) {
      const { status, json } = await post({ state: 'x', questions: ASK, model });
      t.strictSame([status, json.model], [200, build], model ?? 'none');
    }
    const { status, json } = await post({ state: 'x', questions: ASK, model: 'decider-g-13b' });
    t.strictSame([status, json.type], [404, 'model_not_found']);
    const old = await post({ state: 'x', questions: ASK, model: 'decider-g-12b-20250101' });
    t.strictSame([old.status, old.json.type], [404, 'model_not_found']);
  }),
  rule('2.1 model: an endpoint that serves one model ignores it', async (t, { post, gateway }) => {
    for (const model of [undefined, null, 'decider-g-12b', 'unknown', '', 7, true, {}, ['decider-g-12b']]) {
      const { status, json } = await post(
        { state: 'x', questions: ASK, model },
        { path: `${gateway}/v1/decide` },
      );
      t.strictSame([status, json.model], [200, BUILDS['decider-g-31b']], JSON.stringify(model));
    }
  }),
];

/** Contract 2.2. */
const QUESTIONS: readonly ContractTest[] = [
  rule('2.2 type: noul, choice or score', async (t, service) => {
    for (const type of ['noul', 'choice', 'score']) {
      const { status, json } = await ask(service, { type, criteria: type === 'noul' ? null : ['a', 'b'] });
      t.equal(status, 200);
      t.equal(json.answers.q.type, type);
    }
    for (const type of [undefined, null, 'Noul', 'bool', '', 7, ['noul']]) {
      const { status, json } = await ask(service, { type });
      t.strictSame([status, json.type], [422, 'invalid_type'], JSON.stringify(type));
    }
  }),
  rule('2.2 instructions: a string, or null, which is the same as absent', async (t, service) => {
    const none = await ask(service, { type: 'noul' });
    const asNull = await ask(service, { type: 'noul', instructions: null });
    const text = await ask(service, { type: 'noul', instructions: 'Is it?' });
    t.strictSame([none.status, asNull.status, text.status], [200, 200, 200]);
    t.equal(none.text, asNull.text);
    t.ok(text.json.usage.input_tokens > none.json.usage.input_tokens);
    for (const instructions of [7, true, {}, ['Is it?']]) {
      const { status, json } = await ask(service, { type: 'noul', instructions });
      t.strictSame([status, json.type], [422, 'invalid_question'], JSON.stringify(instructions));
    }
  }),
  rule('2.2 criteria: a choice has labels with descriptions, or a list of labels', async (t, service) => {
    const labels = ['b', '10', 'a label', '2'];
    const described = `{${labels.map((label) => `${JSON.stringify(label)}:"means ${label}"`).join(',')}}`;
    for (const criteria of [described, JSON.stringify(labels)]) {
      const body = `{"state":"x","questions":{"q":{"type":"choice","criteria":${criteria}}}}`;
      const { status, text } = await service.post(body);
      t.equal(status, 200);
      const places = labels.map((label) => text.indexOf(`${JSON.stringify(label)}:`));
      t.ok(
        places.every((place) => place > 0),
        text,
      );
      t.strictSame(
        places,
        [...places].sort((a, b) => a - b),
        'in the order sent',
      );
    }
    for (const criteria of [undefined, null, {}, [], 'a', [''], ['a', 'a'], { '': 'x' }, [7], { a: 7 }]) {
      const { status, json } = await ask(service, { type: 'choice', criteria });
      t.strictSame([status, json.type], [422, 'invalid_question'], JSON.stringify(criteria));
    }
  }),
  rule('2.2 criteria: a score has level descriptions, lowest first', async (t, service) => {
    const { status, json } = await ask(service, { type: 'score', criteria: ['low', 'middle', 'high'] });
    t.equal(status, 200);
    t.strictSame(json.answers.q.legend, { 0: 'low', 1: 'middle', 2: 'high' });
    for (const criteria of [undefined, null, [], ['one'], { 0: 'a', 1: 'b' }, 'ab', ['a', 7]]) {
      const { status, json } = await ask(service, { type: 'score', criteria });
      t.strictSame([status, json.type], [422, 'invalid_question'], JSON.stringify(criteria));
    }
  }),
  rule('2.2 criteria: a noul has none, or both sides under either pair of names', async (t, service) => {
    for (const criteria of [undefined, null, { true: 'a', false: 'b' }, { yes: 'a', no: null }]) {
      t.equal((await ask(service, { type: 'noul', criteria })).status, 200, JSON.stringify(criteria));
    }
    const truth = await ask(service, { type: 'noul', criteria: { true: 'a', false: 'b' } });
    const turned = await ask(service, { type: 'noul', criteria: { no: 'b', yes: 'a' } });
    t.equal(truth.text, turned.text, 'the names and the order say the same');
    for (const criteria of [
      {},
      { true: 'a' },
      { no: 'b' },
      { true: 'a', no: 'b' },
      { true: 'a', false: 'b', maybe: 'c' },
      { yes: 'a', no: 7 },
      ['a', 'b'],
      'a',
    ]) {
      const { status, json } = await ask(service, { type: 'noul', criteria });
      t.strictSame([status, json.type], [422, 'invalid_question'], JSON.stringify(criteria));
    }
  }),
  rule('2.2 criteria: for a null description the model reads the option’s name', async (t, service) => {
    for (const [type, nulls, names] of [
      ['noul', { true: null, false: null }, { true: 'Yes', false: 'No' }],
      ['choice', { a: null, b: null }, { a: 'a', b: 'b' }],
    ]) {
      const byNull = await ask(service, { type, criteria: nulls });
      t.equal(byNull.status, 200);
      const described = await ask(service, { type, criteria: names });
      t.ok(byNull.json.usage.input_tokens <= described.json.usage.input_tokens);
    }
    const { json } = await ask(service, { type: 'score', criteria: [null, 'middle', null] });
    t.strictSame(json.answers.q.legend, { 0: 'Level 0', 1: 'middle', 2: 'Level 2' });
  }),
  rule('2.2 criteria: an object of nulls is read by its names', async (t, service) => {
    const list = await ask(service, { type: 'choice', criteria: ['approve', 'reject'] });
    const object = await ask(service, { type: 'choice', criteria: { approve: null, reject: null } });
    t.equal(object.text, list.text);
    const none = await ask(service, { type: 'noul', instructions: 'Is it?' });
    const nulls = await ask(service, {
      type: 'noul',
      instructions: 'Is it?',
      criteria: { true: null, false: null },
    });
    t.equal(nulls.text, none.text);
  }),
  rule('2.2 criteria: up to 26 options', async (t, service) => {
    for (const [type, least] of [
      ['choice', 1],
      ['score', 2],
    ] as const) {
      for (const count of [least, 26]) {
        const { status, json } = await ask(service, { type, criteria: many(count) });
        t.equal(status, 200, `${type} ${count}`);
        t.equal(Object.keys(json.answers.q.probabilities).length, count);
      }
      const { status, json } = await ask(service, { type, criteria: many(27) });
      t.strictSame([status, json.type], [422, 'too_many_options']);
      t.match(json.error, /options per choice/);
    }
  }),
  rule('2.2 criteria: the descriptions reach the model', async (t, service) => {
    const tokens = async (criteria: unknown, type: string) =>
      (await ask(service, { type, criteria })).json.usage.input_tokens;
    const long = 'a long description of what it means';
    t.ok(
      (await tokens({ true: long, false: 'b' }, 'noul')) > (await tokens({ true: 'a', false: 'b' }, 'noul')),
    );
    t.ok((await tokens({ a: long }, 'choice')) > (await tokens({ a: 'b' }, 'choice')));
    t.ok((await tokens(['a', long], 'score')) > (await tokens(['a', 'b'], 'score')));
  }),
];

export const REQUESTS = [...BODY, ...QUESTIONS];
