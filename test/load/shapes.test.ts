import { test } from 'tap';
import { openBody } from '../../src/decide/request/open-body.js';
import { readRequest } from '../../src/decide/request/read-request.js';
import { generatedRequests, givenRequests, SHAPES } from '../../src/load/index.js';

const take = (count: number, ...options: Parameters<typeof generatedRequests>) => {
  const source = generatedRequests(...options);
  return Array.from({ length: count }, () => source.next());
};
const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1] as number;
const parse = ({ body }: { body: Buffer }) => JSON.parse(body.toString());

test('every generated request is valid', async (t) => {
  for (const { body } of take(300, 7, 'mix')) {
    const { questions } = readRequest(openBody(body), {
      ignoresModel: false,
      knows: () => false,
      allows: () => true,
      format: 'systemone',
    });
    if (questions.length < 1 || questions.length > 16) t.fail(`${questions.length} questions`);
  }
});

test('short requests have the lengths that public clients send', async (t) => {
  const requests = take(1_000, 7, 'short').map(parse);
  const states = requests.map(({ state }) => state.length);
  const questions = requests.map((request) => JSON.stringify(request.questions).length);
  t.ok(Math.min(...states) >= 54 && Math.max(...states) <= 805);
  t.ok(Math.abs(median(states) - 146) < 15, `median state ${median(states)}`);
  t.ok(
    Math.min(...questions) === 500 && Math.max(...questions) === 2_360,
    `${Math.min(...questions)} to ${Math.max(...questions)}`,
  );
  t.ok(Math.abs(median(questions) - 732) < 40, `median of questions ${median(questions)}`);
  for (const request of requests) {
    for (const { criteria } of Object.values(request.questions) as { criteria: object }[]) {
      const options = Object.keys(criteria);
      if (options.length < 2 || options.length > 7 || !options.includes('needs_review'))
        t.fail(String(options));
    }
  }
});

test('six requests about code share their state', async (t) => {
  const states = take(12, 7, 'one_state').map((request) => parse(request).state);
  t.equal(new Set(states.slice(0, 6)).size, 1);
  t.equal(new Set(states).size, 2);
  t.equal(states[0].length, 6_000);
});

test('the mix has its shares, and is the same for the same seed', async (t) => {
  const requests = take(2_000, 7, 'mix');
  const share = (shape: string) => requests.filter((request) => request.shape === shape).length / 2_000;
  for (const [shape, expected] of [
    ['short', 0.84],
    ['one_state', 0.12],
    ['sixteen', 0.04],
  ] as const) {
    t.ok(Math.abs(share(shape) - expected) < 0.03, `${shape}: ${share(shape)}`);
  }
  const text = (all: readonly { body: Buffer }[]) => all.map(({ body }) => body.toString()).join('\n');
  t.ok(text(take(50, 7, 'mix')) === text(requests.slice(0, 50)));
  t.notOk(text(take(50, 8, 'mix')) === text(requests.slice(0, 50)));
});

test('a model is named in every request', async (t) => {
  for (const shape of Object.keys(SHAPES) as (keyof typeof SHAPES)[]) {
    t.equal(parse(take(1, 7, shape, 'decider-g-31b')[0] as { body: Buffer }).model, 'decider-g-31b');
    t.notOk('model' in parse(take(1, 7, shape)[0] as { body: Buffer }));
  }
});

test('given requests repeat in their order', async (t) => {
  const source = givenRequests(['a', 'b'].map((text) => Buffer.from(text)));
  t.strictSame(
    [1, 2, 3].map(() => source.next().body.toString()),
    ['a', 'b', 'a'],
  );
});
