import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { nextTurn, random } from '../../src/base/index.js';
import { reportText } from '../../src/cli/eval-table.js';
import type { ArchivedAnswer } from '../../src/evaluation/archive.js';
import {
  buildReport,
  type EvaluationReport,
  evaluate,
  evaluationPage,
  readCases,
  serverTarget,
} from '../../src/evaluation/index.js';
import { Outcomes } from '../../src/evaluation/outcomes.js';
import { writeCases } from '../support/evaluation/cases.js';
import { type Held, startStub } from '../support/evaluation/stub-server.js';
import { freePort } from '../support/free-port.js';

const PLAIN = { order: false, format: false, modes: false, averages: [] as readonly number[] };
const PRICES = { of: () => 1_500n, currency: 'GBP' };

/** Evaluates cases against a stub; `run` may be called again, to resume. */
async function prepare(
  t: Test,
  count: number,
  handle?: (held: Held) => void,
  concurrency = 1,
  other?: string,
  released?: () => Promise<void>,
) {
  const folder = t.testdir({});
  writeCases(join(folder, 'cases.jsonl'), random(1), count);
  const cases = readCases(join(folder, 'cases.jsonl'));
  const url = other ?? (await startStub(t, handle)).url;
  const waits: Array<readonly [type: string, seconds: number]> = [];
  const run = (own: { resume?: boolean; signal?: AbortSignal; variants?: typeof PLAIN } = {}) =>
    evaluate({
      cases,
      variants: PLAIN,
      model: null,
      archive: join(folder, 'a.jsonl'),
      resume: false,
      signal: new AbortController().signal,
      openTarget: async () => serverTarget({ url, path: '/v1/systemone', token: 'secret', concurrency }),
      openOtherMode: async () => t.fail('no other mode') as never,
      onProgress: () => {},
      async wait({ type }, seconds) {
        waits.push([type, seconds]);
        await released?.();
      },
      ...own,
    });
  const report = async (options?: Parameters<typeof run>[0]) => {
    const { outcomes, target } = await run(options);
    return buildReport({ cases, outcomes, target, prices: PRICES, seed: 1, resamples: 50 }).report;
  };
  return { run, report, waits, archive: join(folder, 'a.jsonl') };
}

test('each case is asked once, with the token and the opt-in for raw probabilities', async (t) => {
  const seen: Held[] = [];
  const { report } = await prepare(t, 5, (held) => {
    seen.push(held);
    held.answer();
  });
  const found = await report();
  t.equal(seen.length, 5);
  t.match(seen[0], {
    path: '/v1/systemone',
    headers: { authorization: 'Bearer secret', 'service-raw-probabilities': 'true' },
  });
  t.match(found, {
    models: ['stub-20260101'],
    answered: 5,
    failures: [],
    repeated: 0,
    committed: 5,
    overall: { n: 15 },
    by_type: { noul: { n: 5 }, choice: { n: 5 }, score: { n: 5 } },
    by_option_count: { 2: { n: 5 }, 3: { n: 10 } },
    tokens: { input: 35, output: 15 },
    cost: { amount: '0.0000000525', currency: 'GBP' },
    order_bias: null,
    format_bias: null,
    mode_difference: null,
  });
});

/** Bodies of proxies, none of which is an error of contract 2.9 or of OpenAI. */
const PAGES = [
  {},
  { status: 503, error: 'Service Unavailable', path: '/v1/decide' },
  { type: 'about:blank', title: 'Service Unavailable', status: 503 },
  { error: { message: 'no healthy upstream' } },
];

test('429 and 503 with Retry-After are repeated after it, at most five times; nothing else is', async (t) => {
  const asked = new Map<unknown, number>();
  const refusals = [
    { status: 429, wait: '0', times: 2 },
    { status: 503, wait: '0', times: 9 },
    { status: 503, wait: undefined, times: 9 },
    { status: 500, wait: '0', times: 9 },
    { status: 422, wait: undefined, times: 9 },
    // Of a proxy, which may have lost an answer.
    ...PAGES.map((page) => ({ status: 503, wait: '0', times: 9, page })),
  ];
  const { report, waits } = await prepare(t, 6 + PAGES.length, (held) => {
    const key = JSON.stringify(held.body.state);
    const tries = (asked.get(key) ?? 0) + 1;
    asked.set(key, tries);
    const refusal = refusals[asked.size - 2];
    if (refusal === undefined || tries > refusal.times) return held.answer();
    const { status, wait, page } = { page: undefined, ...refusal };
    held.refuse(
      status,
      page ?? { error: 'No.', type: `type ${status}` },
      wait === undefined ? {} : { 'retry-after': wait },
    );
  });
  const found = await report();
  t.strictSame([...asked.values()], [1, 3, 5, 1, 1, 1, ...PAGES.map(() => 1)]);
  t.strictSame(waits.length, 2 + 4);
  t.equal(found?.repeated, 2 + 4);
  t.equal(found?.answered, 2);
  t.strictSame(found?.failures, [
    { type: 'status 503', cases: PAGES.length, example: '{}' },
    { type: 'type 503', cases: 2, example: 'No.' },
    { type: 'type 500', cases: 1, example: 'No.' },
    { type: 'type 422', cases: 1, example: 'No.' },
  ]);
});

test('no request is sent while the run waits', async (t) => {
  let asked = 0;
  const handle = (held: Held) => {
    asked += 1;
    if (asked === 1) held.refuse(429, { error: 'Slow down.', type: 'rate_limited' }, { 'retry-after': '7' });
    else held.answer();
  };
  const { run, waits } = await prepare(t, 10, handle, 1, undefined, async () => {
    // Long enough for a request over the loopback interface.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    t.equal(asked, 1);
  });
  t.match(await run(), { complete: true });
  t.strictSame(waits, [['rate_limited', 7]]);
  t.equal(asked, 11);
});

test('a target that cannot be used ends the run at the first case', async (t) => {
  let calls = 0;
  const { run } = await prepare(t, 20, (held) => {
    calls += 1;
    held.refuse(401, { error: 'The token is wrong.', type: 'unauthorized' });
  });
  await t.rejects(run(), /cannot be used: unauthorized: The token is wrong/);
  t.equal(calls, 1);
  const gone = await prepare(t, 2, undefined, 1, `http://127.0.0.1:${await freePort()}`);
  await t.rejects(
    gone.run(),
    /cannot be used: unreachable: the connection was refused\. Is the server running/,
  );
  const blocked = await prepare(t, 2, undefined, 1, 'http://127.0.0.1:1');
  await t.rejects(blocked.run(), /cannot be used: unreachable: the URL has a port of another protocol/);
  t.notOk(existsSync(blocked.archive), 'no archive is left');
});

test('a resumed run sends the missing requests and those that failed temporarily, and gives the same report', async (t) => {
  const asked: string[] = [];
  const stopping = new AbortController();
  let failing = true;
  const handle = (held: Held) => {
    const state = JSON.stringify(held.body.state);
    asked.push(state);
    if (asked.length === 7) stopping.abort();
    // The third case fails for the moment, the fifth for good.
    if (failing && asked.length === 3) return held.refuse(500, { error: 'Broken.', type: 'internal_error' });
    if (asked.length === 5) return held.refuse(422, { error: 'Too long.', type: 'invalid_question' });
    held.answer();
  };
  const { run, report } = await prepare(t, 12, handle, 1);
  t.equal((await run({ signal: stopping.signal })).complete, false);
  t.equal(asked.length, 7, 'the request in progress was finished');
  failing = false;
  const resumed = await report({ resume: true });
  t.equal(asked.length, 12 + 1);
  t.equal(new Set(asked).size, 12);
  t.equal(asked.filter((state) => state === asked[2]).length, 2, 'the third was asked again');
  t.equal(asked.filter((state) => state === asked[4]).length, 1, 'the fifth was not');
  t.match(resumed, { answered: 11, failures: [{ type: 'invalid_question', cases: 1 }] });
  t.strictSame(await report({ resume: true }), resumed, 'nothing is left to ask');
  t.equal(asked.length, 13);
});

test('a resumed run ends at its first request if the target refuses the token', async (t) => {
  let calls = 0;
  const stopping = new AbortController();
  const { run } = await prepare(t, 9, (held) => {
    calls += 1;
    if (calls === 3) stopping.abort();
    if (calls <= 3) held.answer();
    else held.refuse(401, { error: 'No token.', type: 'unauthorized' });
  });
  await run({ signal: stopping.signal });
  await t.rejects(run({ resume: true }), /cannot be used: unauthorized: No token/);
  t.equal(calls, 4);
});

test('biases are measured by further requests', async (t) => {
  const { report } = await prepare(t, 10, undefined, 4);
  const found = await report({ variants: { ...PLAIN, order: true, format: true } });
  t.match(found, {
    // The stub weighs options by their position.
    order_bias: { questions: 10, rotations: 20, first: { value: Number }, last: { value: Number } },
    format_bias: { questions: 30, accuracy: { text: { value: Number } } },
    tokens: { input: 70 },
  });
  t.ok((found?.order_bias?.shift.value ?? 0) > 0.01);
});

test('averages over orders of the options are compared with the order sent', async (t) => {
  const seen: Array<string | undefined> = [];
  const { report } = await prepare(
    t,
    25,
    (held) => {
      const rotations = held.headers['service-option-rotations'] as string | undefined;
      seen.push(rotations);
      const team = rotations === undefined ? [0.6, 0.3, 0.1] : [0.2, 0.5, 0.3];
      const [billing, technical, sales] = team;
      const answers = {
        angry: { type: 'noul', noul: 0.9 },
        team: { type: 'choice', probabilities: { billing, technical, sales } },
        urgent: { type: 'score', probabilities: { 0: 0.5, 1: 0.3, 2: 0.2 } },
      };
      const usage = { input_tokens: rotations === '3' ? 7 : 7 * Number(rotations ?? 1), output_tokens: 3 };
      held.refuse(200, { model: 'stub-20260101', answers, usage });
    },
    4,
  );
  const found = (await report({ variants: { ...PLAIN, averages: [2, 3] } })) as EvaluationReport;
  t.strictSame(seen.sort(), [...Array(25).fill('2'), ...Array(25).fill('3'), ...Array(25).fill(undefined)]);
  t.match(found, {
    overall: { n: 75 },
    order_bias: null,
    tokens: { input: 175 },
    option_averaging: [
      { rotations: 2, comparison: { n: 25, changed: 1 }, tokens: { sent: 175, averaged: 350 } },
      { rotations: 3, comparison: { n: 25, changed: 1 }, tokens: { sent: 175, averaged: 175 } },
    ],
  });
  const { accuracy } = found.option_averaging?.[0]?.comparison ?? {};
  t.equal((accuracy?.b ?? 0) - (accuracy?.a ?? 0), accuracy?.difference);
  const page = await evaluationPage(found, []);
  t.match(page, 'Averages over orders of the options');
  t.match(page, 'does not know the header Service-Option-Rotations', 'three orders cost as much as one');
  t.match(reportText(found, []), /orders +n +accuracy.*\n.*\n?.*2 +25 .*100\.0 % +× 2\.00/);
});

test('requests for biases that fail are counted apart from the cases', async (t) => {
  let calls = 0;
  const { report } = await prepare(t, 4, (held) => {
    calls += 1;
    // Each case has four requests, itself first.
    if (calls % 4 === 3) held.refuse(422, { error: 'Too\u001b[2Jlong.', type: 'too_long' });
    else held.answer();
  });
  const found = await report({ variants: { ...PLAIN, format: true } });
  t.match(found, {
    answered: 4,
    failures: [],
    bias_failures: [{ type: 'too_long', cases: 4, example: 'Too\\u{1b}[2Jlong.' }],
    format_bias: null,
  });
  t.match(
    await evaluationPage(found as EvaluationReport, []),
    'Further requests for biases without an answer',
  );
});

test('a lost connection or a response that is too large does not end a run', async (t) => {
  let calls = 0;
  const { report } = await prepare(t, 3, (held) => {
    calls += 1;
    if (calls === 1) held.cut();
    else if (calls === 2) held.refuse(200, { junk: 'x'.repeat(4 << 20) });
    else held.answer();
  });
  t.match(await report(), {
    answered: 1,
    failures: [{ type: 'network' }, { type: 'bad_answer', example: /larger than/ }],
  });
});

test('usage that is not a whole number counts as no tokens', async (t) => {
  const usages = [{ input_tokens: 0.5 }, { input_tokens: -1 }, { input_tokens: 1e300 }, { input_tokens: 3 }];
  let calls = 0;
  const answers = {
    angry: { type: 'noul', noul: 0.9 },
    team: { type: 'choice', probabilities: { billing: 0.5, technical: 0.3, sales: 0.2 } },
    urgent: { type: 'score', probabilities: { 0: 0.5, 1: 0.3, 2: 0.2 } },
  };
  const { report } = await prepare(t, usages.length, (held) => {
    held.refuse(200, { model: `m\n${'x'.repeat(300)}`, answers, usage: usages[calls++] });
  });
  t.match(await report(), {
    answered: 4,
    tokens: { input: 3, output: 0 },
    models: [`m\\n${'x'.repeat(198)}`],
  });
});

test('the order of the answers does not matter', async (t) => {
  const folder = t.testdir({});
  const file = join(folder, 'cases.jsonl');
  writeCases(file, random(1), 30);
  const cases = readCases(file);
  const next = random(5);
  const answers = cases.cases.flatMap((asked): ArchivedAnswer[] =>
    (['sent', 'rotation 1', 'rotation 2'] as const).map((variant) => {
      const p = [next.number(), next.number(), next.number()];
      const sum = p.reduce((a, b) => a + b, 0);
      const [billing, technical, sales] = p.map((each) => each / sum);
      const answers = {
        angry: { type: 'noul', noul: next.number() },
        team: { type: 'choice', probabilities: { billing, technical, sales } },
        urgent: { type: 'score', probabilities: { 0: sales, 1: billing, 2: technical } },
      };
      return { case: asked.id, variant, repeated: 0, response: { model: 'm', answers } };
    }),
  );
  const target = { kind: 'results', file: '' } as const;
  const reportOf = (order: readonly ArchivedAnswer[]) =>
    buildReport({ cases, outcomes: new Outcomes(order), target, prices: PRICES, seed: 1, resamples: 20 })
      .report;
  const report = reportOf(answers);
  t.match(report, { order_bias: { rotations: 60 } });
  for (let shuffle = 0; shuffle < 5; shuffle += 1) {
    const order = answers.map((each) => [next.number(), each] as const).sort(([a], [b]) => a - b);
    t.strictSame(reportOf(order.map(([, each]) => each)), report);
  }
});

test('a response that does not answer its case is a failure', async (t) => {
  const bodies = [
    {},
    { answers: {} },
    { answers: { angry: { type: 'choice' } } },
    { answers: { angry: { type: 'noul', noul: 1.5 } } },
    {
      answers: { angry: { type: 'noul', noul: 1 }, team: { type: 'choice', probabilities: { billing: 1 } } },
    },
    {
      answers: {
        angry: { type: 'noul', noul: 1 },
        team: { type: 'choice', probabilities: { billing: 0.5, technical: 0.2, sales: 0.2 } },
      },
    },
  ];
  let calls = -1;
  const { report } = await prepare(t, bodies.length + 1, (held) => {
    const body = bodies[calls++];
    if (body === undefined) held.answer();
    else held.refuse(200, { model: 'm', ...body });
  });
  t.match(await report(), { answered: 1, failures: [{ type: 'bad_answer', cases: bodies.length }] });
});
