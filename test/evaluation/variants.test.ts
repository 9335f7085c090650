import { test } from 'tap';
import { readOrdered } from '../../src/decide/request/ordered-json.js';
import { readCase } from '../../src/evaluation/cases/case.js';
import { stateForms } from '../../src/evaluation/state-forms.js';
import { averageOf, bodyOf, ROTATIONS_MAX, rotationOf, variantsOf } from '../../src/evaluation/variants.js';

const caseOf = (request: string, expected: object) =>
  readCase(Buffer.from(`{"id":"a","request":${request},"expected":${JSON.stringify(expected)}}`), 1);
const NOTHING = { order: false, format: false, modes: false, averages: [] };
const letters = (count: number) => Array.from({ length: count }, (_, at) => `option ${at}`);

test('a case is sent as its file says, but for the model', async (t) => {
  const request =
    '{"extra":{"b":[1]},"state":{"b":1.0,"10":2},"questions":{"z":{"type":"noul"},"1":{"type":"noul"}},"model":"a"}';
  const asked = caseOf(request, { z: true });
  const body = bodyOf(asked, 'sent', null);
  t.match(body, '"state":{"b":1.0,"10":2}');
  t.match(body, '"questions":{"z":{"type":"noul"},"1":{"type":"noul"}}');
  t.strictSame(JSON.parse(body), JSON.parse(request));
  t.equal(JSON.parse(bodyOf(asked, 'sent', 'other')).model, 'other');
  t.strictSame(variantsOf(asked, NOTHING), ['sent']);
});

test('options rotate, with their descriptions; other types stay as they are', async (t) => {
  const criteria = '{"b":"first","10":null,"2":"third"}';
  const asked = caseOf(
    `{"state":"x","questions":{"c":{"type":"choice","instructions":"Which?","criteria":${criteria}},"s":{"type":"score","criteria":["low",null]},"n":{"type":"noul"}}}`,
    { c: '2' },
  );
  t.strictSame(variantsOf(asked, { ...NOTHING, order: true }), ['sent', 'rotation 1', 'rotation 2']);
  const body = bodyOf(asked, 'rotation 1', null);
  t.match(body, '"criteria":{"10":null,"2":"third","b":"first"}');
  t.match(body, '{"type":"score","instructions":null,"criteria":["low",null]}');
  t.match(bodyOf(asked, 'rotation 2', null), '"criteria":{"2":"third","b":"first","10":null}');
});

test('cases with a choice of two options or more are averaged, and sent as they are', async (t) => {
  const of = (questions: object, expected: object) =>
    caseOf(JSON.stringify({ state: 'x', questions }), expected);
  const averages = { ...NOTHING, averages: [2, 4] };
  const asked = of({ c: { type: 'choice', criteria: ['a', 'b'] } }, { c: 'a' });
  t.strictSame(variantsOf(asked, averages), ['sent', 'average 2', 'average 4']);
  t.strictSame(variantsOf(of({ c: { type: 'choice', criteria: ['a'] } }, { c: 'a' }), averages), ['sent']);
  t.strictSame(variantsOf(of({ n: { type: 'noul' } }, { n: true }), averages), ['sent']);
  t.equal(bodyOf(asked, 'average 4', null), bodyOf(asked, 'sent', null));
  t.strictSame((['sent', 'average 4', 'rotation 4'] as const).map(averageOf), [1, 4, 1]);
  t.equal(rotationOf('average 4', 9), 0);
});

test('many options rotate by evenly spaced steps', async (t) => {
  const question = { type: 'choice', criteria: letters(26) };
  const asked = caseOf(JSON.stringify({ state: 'x', questions: { c: question } }), { c: 'option 0' });
  const variants = variantsOf(asked, { ...NOTHING, order: true });
  t.equal(variants.length, ROTATIONS_MAX);
  t.strictSame(
    variants.map((variant) => rotationOf(variant, 26)),
    [0, 3, 6, 9, 13, 16, 19, 22],
  );
  t.equal(rotationOf('rotation 2', 2), 0, 'a question with fewer options has been in every order');
});

test('a state as text, flat JSON and nested JSON', async (t) => {
  const forms = (json: string) => stateForms(readOrdered(json));
  t.strictSame(forms('"a \\"b\\""'), {
    text: '"a \\"b\\""',
    flat: '{"state":"a \\"b\\""}',
    nested: '{"input":{"state":"a \\"b\\""}}',
  });
  t.strictSame(forms('{"b":1.0,"10":"x","list":[true,{"y":null}],"none":{}}'), {
    text: '"b: 1.0\\n10: x\\nlist.0: true\\nlist.1.y: null\\nnone: {}"',
    flat: '{"b":1.0,"10":"x","list.0":true,"list.1.y":null,"none":{}}',
    nested: '{"b":1.0,"10":"x","list":[true,{"y":null}],"none":{}}',
  });
  t.match(forms('{"a.b":1}'), { flat: '{"a.b":1}', nested: '{"state":{"a.b":1}}' });
  t.match(forms('17'), { text: '"state: 17"', flat: '{"state":17}', nested: '{"state":17}' });
});
