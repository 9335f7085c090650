import { isUtf8 } from 'node:buffer';
import { test } from 'tap';
import { type Answer, answer } from '../../../src/decide/answers/answer.js';
import { type Extras, responseJson } from '../../../src/decide/answers/response.js';
import type { Question } from '../../../src/decide/decide-types.js';
import { readOrdered } from '../../../src/decide/request/ordered-json.js';
import { choiceOf, logitsOf, NOUL, scoreOf } from '../../support/decide/questions.js';

const USAGE = { inputTokens: 41, outputTokens: 1 };

/** The response to one question whose options have the probabilities `p`. */
function responseTo(question: Question, p: number[]): string {
  return responseJson('m', [question], [answer(question, logitsOf(...p), 1)], USAGE);
}

test('the response, byte for byte', async (t) => {
  const questions = [
    { ...NOUL, name: 'b' },
    { ...choiceOf('billing', '10', '2'), name: '10' },
    { ...scoreOf('low', null), name: '2' },
  ];
  const answers = [
    answer(NOUL, logitsOf(0.87, 0.13), 1),
    answer(choiceOf('billing', '10', '2'), logitsOf(0.88, 0.12, 0), 1),
    answer(scoreOf('low', null), logitsOf(0.25, 0.75), 1),
  ];
  t.equal(
    responseJson('decider-g-nano-20260101', questions, answers, { inputTokens: 41, outputTokens: 3 }),
    '{"model":"decider-g-nano-20260101","answers":{' +
      '"b":{"type":"noul","noul":0.87},' +
      '"10":{"type":"choice","choice":"billing","confidence":0.82,' +
      '"probabilities":{"billing":0.88,"10":0.12,"2":0}},' +
      '"2":{"type":"score","level":1,"score":0.75,"confidence":0.5,' +
      '"legend":{"0":"low","1":"Level 1"},"probabilities":{"0":0.25,"1":0.75}}' +
      '},"usage":{"input_tokens":41,"output_tokens":3}}',
  );
});

test('names of every kind come back as they were sent, in their order', async (t) => {
  const names = ['b', '10', '2', '__proto__', 'a"\\\n', '', '\u2028', '\ud800', '😀'];
  const questions = names.map((name): Question => ({ ...NOUL, name }));
  const answers = names.map((): Answer => answer(NOUL, [1, 0], 1));
  const json = responseJson('m', questions, answers, USAGE);
  t.doesNotThrow(() => JSON.parse(json));
  const response = readOrdered(json);
  const found = response.kind === 'object' ? response.entries[1]?.[1] : undefined;
  t.same(found?.kind === 'object' && found.entries.map(([name]) => name), names);
});

test('labels of every kind come back as they were sent', async (t) => {
  const labels = ['2', '1', '__proto__', '"\n', '\ud83d'];
  const json = responseTo(choiceOf(...labels), [0.1, 0.1, 0.1, 0.1, 0.6]);
  t.equal(JSON.parse(json).answers.q.choice, '\ud83d');
  t.same(Object.keys(JSON.parse(json).answers.q.probabilities).sort(), [...labels].sort());
  t.match(json, '"probabilities":{"2":0.1,"1":0.1,"__proto__":0.1,');
});

test('lone surrogates are escaped, so that the text is the same in UTF-8', async (t) => {
  const json = responseTo(scoreOf('\ud800', '\udc00'), [0.5, 0.5]);
  t.ok(isUtf8(Buffer.from(json)));
  t.equal(Buffer.from(json).toString(), json);
});

test('raw probabilities are sent only on request', async (t) => {
  t.same(JSON.parse(responseTo(NOUL, [0.6, 0.4])).answers, { q: { type: 'noul', noul: 0.8 } });
  const question = choiceOf('b', '1');
  const raw = [
    ['b', 0.123456789],
    ['1', 0.876543211],
  ] as const;
  const json = (extras: Extras) =>
    responseJson('m', [question], [answer(question, logitsOf(0.1, 0.9), 1)], USAGE, [extras]);
  const rawJson = '"probabilities":{"b":0.1,"1":0.9},"raw_probabilities":{"b":0.123456789,"1":0.876543211}';
  t.match(json({ raw, labelMass: null }), `${rawJson}}`);
  t.match(json({ raw, labelMass: 1.2e-7 }), `${rawJson},"label_mass":1.2e-7}`);
  t.match(json({ raw: null, labelMass: 0.5 }), '"probabilities":{"b":0.1,"1":0.9},"label_mass":0.5}');
});

test('answers that do not fit the questions are a failure', async (t) => {
  const given = answer(NOUL, [1, 0], 1);
  t.throws(() => responseJson('m', [NOUL], [], USAGE), Error);
  t.throws(() => responseJson('m', [NOUL], [given, given], USAGE), Error);
});
