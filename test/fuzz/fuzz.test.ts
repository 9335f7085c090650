import { test } from 'tap';
import { uwsMissing } from '../support/http/serving.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { AnswerReader, BadAnswer } from './answers.js';
import { runCampaign } from './campaign.js';
import { type Case, render, TOKEN } from './case.js';
import { generateCase, imageCorpus } from './generators/index.js';
import { judge } from './oracle.js';
import { describe, memoryFaults } from './report.js';
import { shrink } from './shrink.js';

const CASES = scaled({ short: 1_500, long: 5_000 });
/** Kinds of answers: a good one, and errors from every step of a request. */
const ANSWERS_MIN = 25;

test('made-up requests get an answer of the table each', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const transports = uwsMissing === false ? (['node', 'uws'] as const) : (['node'] as const);
  const result = await runCampaign({
    seed,
    first: 0,
    cases: CASES,
    ms: Number.POSITIVE_INFINITY,
    transports,
  });
  for (const line of describe(result)) t.comment(line);
  t.equal(result.findings.length, 0, 'findings');
  t.strictSame(memoryFaults(result), []);
  t.equal(result.cases, CASES);
  t.ok(result.answers.size >= ANSWERS_MIN, `${result.answers.size} kinds of answers`);
});

test('a case is the same for the same seed and number', async (t) => {
  const corpus = await imageCorpus();
  const text = (seed: number, number: number) => JSON.stringify(generateCase(seed, number, corpus));
  t.equal(text(1, 7), text(1, 7));
  t.not(text(1, 7), text(1, 8));
  t.not(text(1, 7), text(2, 7));
});

const read = (text: string) => {
  const reader = new AnswerReader();
  reader.push(Buffer.from(text));
  const answer = reader.next(false, false);
  if (answer === null) throw new Error('half an answer');
  return answer;
};
const answered = (status: number, body: string, headers = '') =>
  read(
    `HTTP/1.1 ${status} x\r\nX-Request-Id: req_${'a'.repeat(24)}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`,
  );

test('a wrong answer is described', async (t) => {
  const judged = (status: number, body: unknown, headers?: string) =>
    judge(answered(status, JSON.stringify(body), headers), false);
  t.equal(judged(200, { status: 'ok' }), null);
  t.equal(judged(404, { error: 'No.', type: 'not_found' }), null);
  t.equal(judged(500, { error: 'No.', type: 'internal_error' }), 'the answer 500');
  t.match(judged(400, { error: 'No.', type: 'not_found' }), /status 400 with the type not_found/);
  t.match(judged(400, { error: 'No.', type: 'no_such_type' }), /not in the table/);
  t.match(judged(400, { type: 'not_found' }), /without a type/);
  t.equal(judged(429, { error: 'No.', type: 'rate_limited' }), 'no Retry-After');
  t.equal(judged(429, { error: 'No.', type: 'rate_limited' }, 'Retry-After: 1\r\n'), null);
  t.match(judged(200, { answers: { q: { noul: 1.5 } } }), /probabilities/);
  t.equal(judge(read('HTTP/1.1 200 x\r\nContent-Length: 2\r\n\r\n{}'), false), 'no X-Request-Id');
  t.throws(() => read('HTTP/1.1 200 x\r\nContent-Length: two\r\n\r\n'), BadAnswer);
});

test('a finding is shrunk to what it needs', async (t) => {
  const { integer } = random(1);
  const body = Buffer.from(Array.from({ length: 5_000 }, () => integer(256)));
  body.write('needle', 3_000);
  const headers = [
    ['A', 'b'],
    ['Authorization', `Bearer ${TOKEN}`],
    ['X-Bad', 'c'],
  ] as const;
  const one: Case = {
    kind: 'request',
    request: { method: 'POST', target: '/v1/decide', headers, body, framing: 'length', cuts: [7, 9] },
  };
  const smallest = await shrink(one, async (smaller) => {
    const text = smaller.kind === 'request' ? render(smaller.request).toString('latin1') : '';
    return text.includes('needle') && text.includes('X-Bad');
  });
  t.match(smallest, { request: { headers: [['X-Bad', 'c']], cuts: [], body: Buffer.from('needle') } });
});
