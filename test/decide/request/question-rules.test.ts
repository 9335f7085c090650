import { test } from 'tap';
import type { ErrorType } from '../../../src/api/index.js';
import {
  listOf,
  questionRefusedAs,
  readCriteria,
  readQuestion,
  refusal,
  withQuestion,
} from '../../support/decide/bodies.js';

/** The type that a question of `type` with the criteria `criteria` is refused with. */
function criteriaRefusedAs(type: string, criteria: string): ErrorType {
  return questionRefusedAs(`{"type":"${type}","criteria":${criteria}}`);
}

test('invalid_question: a question that is not an object, named in the message', async (t) => {
  for (const question of ['null', '[]', '"noul"', '1']) {
    const error = refusal(withQuestion(question));
    t.equal(error.type, 'invalid_question', question);
    t.match(error.message, '"q"');
  }
});

test('invalid_type: missing or unknown, its text not repeated', async (t) => {
  for (const type of ['null', '1', '["noul"]', '"secret"', '"Noul"', '""', '"toString"']) {
    const error = refusal(withQuestion(`{"type":${type}}`));
    t.equal(error.type, 'invalid_type', type);
    t.notMatch(error.message, /secret/);
  }
  t.equal(questionRefusedAs('{}'), 'invalid_type');
});

test('invalid_question: instructions that are neither a string nor null', async (t) => {
  for (const value of ['1', 'false', '[]', '{}']) {
    t.equal(questionRefusedAs(`{"type":"noul","instructions":${value}}`), 'invalid_question', value);
  }
  t.equal(readQuestion('{"type":"noul","instructions":"Is it?"}').instructions, 'Is it?');
  t.equal(readQuestion('{"type":"noul","instructions":null}').instructions, null);
});

test('noul criteria: both sides as true and false, or as yes and no, in any order', async (t) => {
  const expected = [
    { key: 'true', name: 'Yes', description: 'it is' },
    { key: 'false', name: 'No', description: null },
  ];
  t.strictSame(readCriteria('noul', '{"true":"it is","false":null}'), expected);
  t.strictSame(readCriteria('noul', '{"no":null,"yes":"it is"}'), expected);
  t.same(readCriteria('noul', 'null')[0]?.description, null);
});

test('noul criteria: one side, mixed, repeated or further sides are invalid_question', async (t) => {
  for (const criteria of [
    '{}',
    '{"true":"a"}',
    '{"true":"a","no":"b"}',
    '{"true":"a","false":"b","yes":"c"}',
    '{"true":"a","false":"b","yes":"c","no":"d"}',
    '{"true":"a","true":"b"}',
    '{"true":"a","false":"b","true":"c"}',
    '{"True":"a","False":"b"}',
    '["a","b"]',
    '"a"',
    '{"true":1,"false":null}',
    '{"true":null,"false":[]}',
  ]) {
    t.equal(criteriaRefusedAs('noul', criteria), 'invalid_question', criteria);
  }
});

test('choice criteria: an object of label to description, in the order sent', async (t) => {
  t.strictSame(readCriteria('choice', '{"b":"text","10":null,"__proto__":null,"2":""}'), [
    { key: 'b', name: 'b', description: 'text' },
    { key: '10', name: '10', description: null },
    { key: '__proto__', name: '__proto__', description: null },
    { key: '2', name: '2', description: '' },
  ]);
});

test('choice criteria: a list of labels', async (t) => {
  t.strictSame(readCriteria('choice', '["b","10"]'), [
    { key: 'b', name: 'b', description: null },
    { key: '10', name: '10', description: null },
  ]);
});

test('choice criteria: 1 to 26 options', async (t) => {
  t.equal(readCriteria('choice', listOf(1)).length, 1);
  t.equal(readCriteria('choice', listOf(26)).length, 26);
  t.equal(criteriaRefusedAs('choice', '[]'), 'invalid_question');
  t.equal(criteriaRefusedAs('choice', '{}'), 'invalid_question');
});

test('choice criteria: absent, null or of another kind are invalid_question', async (t) => {
  t.equal(questionRefusedAs('{"type":"choice"}'), 'invalid_question');
  for (const criteria of ['null', '"a"', '1', '[1]', '["a",null]', '{"a":1}', '{"a":{}}']) {
    t.equal(criteriaRefusedAs('choice', criteria), 'invalid_question', criteria);
  }
});

test('choice criteria: an empty label is invalid_question', async (t) => {
  t.equal(criteriaRefusedAs('choice', '["a",""]'), 'invalid_question');
  t.equal(criteriaRefusedAs('choice', '{"":"a"}'), 'invalid_question');
});

test('choice criteria: a label twice is invalid_question, in a list and in an object', async (t) => {
  t.equal(criteriaRefusedAs('choice', '["a","b","a"]'), 'invalid_question');
  t.equal(criteriaRefusedAs('choice', '{"a":null,"\\u0061":null}'), 'invalid_question');
});

test('score criteria: a list of texts or nulls, lowest first', async (t) => {
  t.strictSame(readCriteria('score', '["low",null,"low"]'), [
    { key: '0', name: 'Level 0', description: 'low' },
    { key: '1', name: 'Level 1', description: null },
    { key: '2', name: 'Level 2', description: 'low' },
  ]);
});

test('score criteria: 2 to 26 levels', async (t) => {
  t.equal(readCriteria('score', listOf(2)).length, 2);
  t.equal(readCriteria('score', listOf(26)).length, 26);
  t.equal(criteriaRefusedAs('score', '[]'), 'invalid_question');
  t.equal(criteriaRefusedAs('score', '["only"]'), 'invalid_question');
});

test('score criteria: absent, null or of another kind are invalid_question', async (t) => {
  t.equal(questionRefusedAs('{"type":"score"}'), 'invalid_question');
  for (const criteria of ['null', '{"0":"a","1":"b"}', '"ab"', '[1,2]', '["a",{}]']) {
    t.equal(criteriaRefusedAs('score', criteria), 'invalid_question', criteria);
  }
});

test('too_many_options: 27 options, and the message says "options per choice"', async (t) => {
  for (const type of ['choice', 'score']) {
    const error = refusal(withQuestion(`{"type":"${type}","criteria":${listOf(27)}}`));
    t.equal(error.type, 'too_many_options');
    t.match(error.message, /"q".*27.*26 options per choice/);
  }
});
