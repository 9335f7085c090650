import { test } from 'tap';
import { random, seedFromEnvironment } from '../support/random.js';
import { LONG } from '../support/scale.js';
import { modelsFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';
import { until } from '../support/until.js';

const server = shared((t) => startTestServer(t));
/** Its model has a short context window, and answers for another one. */
const otherServer = shared((t) =>
  startTestServer(t, {}, modelsFolder(t.testdir(), {}, { context_length: 200, answers_for: ['another'] })),
);

const WORDS = 'the parcel was lost and nobody answers my mail about a refund since monday please help'.split(
  ' ',
);

/** Sixteen questions of every kind. */
function mixedQuestions(next: ReturnType<typeof random>): Record<string, Record<string, unknown>> {
  const words = (count: number) => Array.from({ length: count }, () => next.pick(WORDS)).join(' ');
  const make = [
    () => ({ type: 'noul', instructions: words(8) }),
    () => ({ type: 'noul', criteria: { yes: words(4), no: null } }),
    () => ({ type: 'choice', instructions: words(5), criteria: ['billing', 'technical', 'sales'] }),
    () => ({ type: 'choice', criteria: Object.fromEntries([9, 1, 5].map((key) => [key, words(6)])) }),
    () => ({ type: 'score', instructions: words(5), criteria: [words(3), null, words(3), words(2)] }),
  ];
  return Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`q${15 - i}`, next.pick(make)()]));
}

/** Every number of an answer that is a probability. */
function probabilities(answer: Record<string, unknown>): number[] {
  return answer.type === 'noul'
    ? [answer.noul as number]
    : Object.values(answer.probabilities as Record<string, number>);
}

test('16 mixed questions in one request equal each question asked alone, over HTTP', async (t) => {
  const { ask } = await server();
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (const length of LONG ? [1, 40, 300, 3_000] : [1, 40, 300]) {
    const state = Array.from({ length }, () => next.pick(WORDS)).join(' ');
    const questions = mixedQuestions(next);
    const together = await ask({ state, questions });
    t.strictSame(
      Object.keys(together.answers),
      Object.keys(questions),
      'answers in the order of the questions',
    );
    let worst = 0;
    let straddling = 0;
    // Behind the longest state every fourth: each computes it again.
    const asked = Object.entries(questions).filter((_, place) => length < 3_000 || place % 4 === 0);
    for (const [name, question] of asked) {
      const alone = await ask({ state, questions: { [name]: question } });
      const [a, b] = [probabilities(together.answers[name]), probabilities(alone.answers[name])];
      a.forEach((p, index) => {
        const difference = Math.abs(p - (b[index] as number));
        // A committed noul jumps from 0.2 to 0.8 where p crosses one half.
        if (question.type === 'noul' && Math.abs(difference - 0.6) < 1e-9) straddling += 1;
        else worst = Math.max(worst, difference);
      });
    }
    // Rounding adds 1e-4.
    t.ok(worst <= 1.1e-3, `${length} words: largest |Δp| ${worst.toExponential(1)}`);
    t.ok(straddling <= 1, `${straddling} answers at one half`);
  }
});

test('contract 8 rule 5: usage counts the state once and every question', async (t) => {
  const { ask } = await server();
  const state = 'My card was charged twice!';
  const question = { type: 'noul', instructions: 'Is the customer angry?' };
  const usage = async (count: number) => {
    const questions = Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i}`, question]));
    return (await ask({ state, questions })).usage;
  };
  const [one, two, sixteen] = [await usage(1), await usage(2), await usage(16)];
  const perQuestion = two.input_tokens - one.input_tokens;
  t.equal(sixteen.input_tokens, one.input_tokens + 15 * perQuestion);
  t.equal(sixteen.output_tokens, 16);
  t.strictSame(await usage(1), one, 'the same again');
});

test('contract 2.1: a JSON state keeps its order and its numbers; the same text gives the same answer', async (t) => {
  const { ask } = await server();
  const questions = { a: { type: 'noul', instructions: 'Is it?' } };
  const json = String.raw`{"b":1,"10":2,"n":12345678901234567890,"x":1.0,"s":"é\u0000"}`;
  const indented = [
    '{',
    '  "b": 1,',
    '  "10": 2,',
    '  "n": 12345678901234567890,',
    '  "x": 1.0,',
    String.raw`  "s": "é\u0000"`,
    '}',
  ].join('\n');
  const asJson = await ask(`{"state":${json},"questions":${JSON.stringify(questions)}}`);
  const asText = await ask({ state: indented, questions });
  t.strictSame(asJson, asText);
});

test('contract 4.3 rule 6: the model reads the first 20,000 characters of the state', async (t) => {
  const { ask } = await server();
  const questions = { a: { type: 'noul', instructions: 'Is it?' } };
  const tokens = async (state: string) => (await ask({ state, questions })).usage.input_tokens;
  // A token for nine characters: the engine has a tenth to compute.
  const whole = `${'🙂'.repeat(10)}${'question '.repeat(2_221)}a`;
  t.equal([...whole].length, 20_000);
  const bound = await tokens(whole);
  t.equal(await tokens(`${whole}b`), bound, 'one more is not read');
  t.not(await tokens([...whole].slice(0, -10).join('')), bound, 'ten fewer are fewer tokens');
});

test('invalid_question: a prompt over the context window', async (t) => {
  const { decide } = await otherServer();
  const fits = { a: { type: 'noul', instructions: 'Is it?' } };
  const long = { ...fits, b: { type: 'noul', instructions: 'word '.repeat(300) } };
  t.equal((await decide({ state: 'x', questions: fits })).status, 200);
  const refused = await decide({ state: 'x', questions: long });
  t.equal(refused.status, 422);
  t.match(await refused.json(), { type: 'invalid_question', error: /"b".*context window of 200/ });
});

test('contract 4.2: /v1/systemone answers an unknown model with the default one', async (t) => {
  const { ask, decide } = await otherServer();
  const body = { model: 'jev-latest', state: 'x', questions: { a: { type: 'noul' } } };
  t.equal((await ask(body, '/v1/systemone')).model, 'tiny-20260101');
  t.equal((await decide(body)).status, 404);
  t.equal((await ask({ ...body, model: 'tiny-20260101' })).model, 'tiny-20260101');
});

test('the log keeps method, path, status and duration, and nothing of the caller', async (t) => {
  const { decide, lines } = await server();
  lines.length = 0;
  await decide({ state: 'SECRET', questions: { SECRET: { type: 'noul', instructions: 'SECRET' } } });
  await decide('{"SECRET');
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ method }) => method !== undefined);
  await until(() => requests().length >= 2);
  t.strictSame(
    requests().map(({ status }) => status),
    [200, 400],
  );
  for (const request of requests())
    t.match(request, { method: 'POST', path: '/v1/decide', durationMs: Number });
  t.notMatch(lines.join('\n'), /SECRET/);
});

test('64 requests at once: each gets its own answer', async (t) => {
  const { ask } = await server();
  const one = (i: number) =>
    ask({ state: `case ${i}`, questions: { [`q${i}`]: { type: 'choice', criteria: ['a', 'b'] } } });
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => one(i)));
  for (const [i, answer] of answers.entries()) t.strictSame(Object.keys(answer.answers), [`q${i}`]);
});

test('large bodies, one after the other and at once: each gets its own answer', async (t) => {
  const { ask } = await startTestServer(t, { DECIDER_PREPARE_THREADS: '2', DECIDER_ENGINE_EXACT: 'true' });
  const bodyOf = (name: string, bytes: number) => ({
    state: `${name} ${' '.repeat(bytes)}`,
    questions: { [name]: { type: 'noul', instructions: `Is it ${name}?` } },
  });
  const small = await ask(bodyOf('first', 20_000));
  t.match(small, { model: 'tiny-20260101' });
  t.strictSame(await ask(bodyOf('first', 30_000_000)), small, 'what is read of the state is the same');
  t.strictSame(await ask(bodyOf('first', 2_000_000)), small, 'shorter than the one before it');
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const answers = await Promise.all(names.map((name) => ask(bodyOf(name, 3_000_000))));
  t.strictSame(
    answers.map(({ answers: given }) => Object.keys(given)),
    names.map((name) => [name]),
  );
});
