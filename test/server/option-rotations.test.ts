import { type Test, test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { startTestServer } from '../support/server.js';

const REQUESTS = scaled({ short: 4, long: 60 });
const ROTATIONS = [2, 3, 5, LIMITS.optionRotations];
/** Prompts that are computed together and alone differ by rounding. */
const ROUNDING = 2e-4;
const WORDS = 'the parcel was lost and nobody answers my mail about a refund'.split(' ');

type Server = Awaited<ReturnType<typeof startTestServer>>;

interface Reply {
  readonly text: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of several forms.
  readonly json: any;
  readonly isHit: boolean;
}

async function post(server: Server, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}/v1/decide`, {
    method: 'POST',
    headers: { ...server.headers, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isHit = / cache;desc=hit$/.test(response.headers.get('server-timing') ?? '');
  return { text, status: response.status, json: JSON.parse(text), isHit } satisfies Reply;
}

const RAW = { 'service-raw-probabilities': 'true' };
const rotations = (count: number) => ({ 'service-option-rotations': String(count) });

function start(t: Test, environment: Record<string, string> = {}): Promise<Server> {
  return startTestServer(t, { DECIDER_ENGINE_EXACT: 'true', ...environment });
}

/** A choice of 2 to 9 labels, with and without descriptions. */
function choiceOf(next: Random) {
  const text = (length: number) => Array.from({ length }, () => next.pick(WORDS)).join(' ');
  const labels = Array.from({ length: 2 + next.integer(8) }, (_, at) => `${at}${text(1)}`);
  const criteria = labels.map((label) => [label, next.number() < 0.5 ? text(3) : null] as const);
  return { state: text(1 + next.integer(30)), instructions: text(5), criteria };
}

const bodyOf = ({ state, instructions, criteria }: ReturnType<typeof choiceOf>) => ({
  state,
  questions: { c: { type: 'choice', instructions, criteria: Object.fromEntries(criteria) } },
});

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

test('probabilities are the mean of single requests with permuted options, and every prompt is billed', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const server = await start(t);
  for (let round = 0; round < REQUESTS; round += 1) {
    const asked = choiceOf(next);
    const { criteria } = asked;
    const count = Math.min(next.pick(ROTATIONS), criteria.length);
    const singles: Reply[] = [];
    for (let order = 0; order < count; order += 1) {
      const by = Math.floor((order * criteria.length) / count);
      const permuted = [...criteria.slice(by), ...criteria.slice(0, by)];
      singles.push(await post(server, bodyOf({ ...asked, criteria: permuted }), RAW));
    }
    const { json } = await post(server, bodyOf(asked), { ...RAW, ...rotations(count) });
    const { probabilities, raw_probabilities: raw, choice } = json.answers.c;
    t.strictSame(Object.keys(raw), Object.keys(bodyOf(asked).questions.c.criteria));
    for (const [label, p] of Object.entries<number>(raw)) {
      const expected = mean(singles.map((single) => single.json.answers.c.raw_probabilities[label]));
      t.ok(Math.abs(p - expected) < ROUNDING, `${p} ${expected}`);
      t.ok(Math.abs(probabilities[label] - p) <= 1e-4);
    }
    t.equal(probabilities[choice], Math.max(...Object.values<number>(probabilities)));
    // The suffix of a second question is the second prompt less the first one.
    const twice = { ...bodyOf(asked), questions: { c: bodyOf(asked).questions.c, d: { type: 'noul' } } };
    const once = { ...twice, questions: { d: { type: 'noul' } } };
    const prefix =
      singles[0]?.json.usage.input_tokens +
      (await post(server, once)).json.usage.input_tokens -
      (await post(server, twice)).json.usage.input_tokens;
    const suffixes = singles.reduce((sum, { json: each }) => sum + each.usage.input_tokens - prefix, 0);
    t.strictSame(json.usage, { input_tokens: prefix + suffixes, output_tokens: 1 });
  }
});

const CHOICES = {
  state: 'The parcel is late.',
  questions: {
    n: { type: 'noul', instructions: 'Is it late?' },
    c: { type: 'choice', instructions: 'Who answers?', criteria: ['billing', 'technical', 'sales'] },
    s: { type: 'score', criteria: ['later', 'now'] },
  },
};

test('without rotations, or with one, a response has the bytes of the usual one', async (t) => {
  const server = await start(t);
  const plain = await post(server, CHOICES);
  t.equal((await post(server, CHOICES, rotations(1))).text, plain.text);
  const rotated = await post(server, CHOICES, rotations(2));
  t.strictSame(Object.keys(rotated.json.answers.c), Object.keys(plain.json.answers.c));
  t.not(rotated.json.answers.c, plain.json.answers.c);
  t.ok(rotated.json.usage.input_tokens > plain.json.usage.input_tokens);
  t.equal(rotated.json.usage.output_tokens, 3);
  // More rotations than options are as many as there are options.
  const three = await post(server, CHOICES, { ...RAW, ...rotations(3) });
  t.equal((await post(server, CHOICES, { ...RAW, ...rotations(26) })).text, three.text);
  t.not((await post(server, CHOICES, { ...RAW, ...rotations(2) })).text, three.text);
});

test('/v1/decisions has the diagnostics of /v1/decide', async (t) => {
  const server = await start(t);
  const headers = { ...RAW, ...rotations(3), 'service-label-mass': 'true' };
  const { json } = await post(server, CHOICES, headers);
  const { n, c, s } = json.answers;
  const send = async (own: Readonly<Record<string, string>>, choices = 1) => {
    const choice = {
      type: 'choice',
      instructions: 'Who answers?',
      choices: ['billing', 'technical', 'sales'].map((value) => ({ value })),
    };
    const body = {
      model: 'any',
      input: CHOICES.state,
      questions: [
        { type: 'predicate', instructions: 'Is it late?' },
        ...Array.from({ length: choices }, () => choice),
        { type: 'score', levels: [{ label: 'later' }, { label: 'now' }] },
      ],
    };
    const response = await fetch(`${server.url}/v1/decisions`, {
      method: 'POST',
      headers: { ...server.headers, ...own },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Reply['json'];
  };
  const found = await send(headers);
  for (const [at, answer] of [n, c, s].entries()) {
    t.strictSame(found.answers[at].raw_probabilities, Object.values(answer.raw_probabilities));
    t.equal(found.answers[at].label_mass, answer.label_mass);
  }
  t.equal(found.usage.input_tokens, json.usage.input_tokens);
  t.strictSame(await send({}), await send(rotations(1)));
  const { error } = await send(rotations(3), 133);
  t.strictSame([error.code, error.param], ['invalid_request', null]);
  t.match(error.message, /401 prompts/);
});

test('in exact mode, the cache of answers knows each number of rotations', async (t) => {
  const server = await start(t, { DECIDER_ENGINE_ANSWER_CACHE_MB: '1' });
  const first = [await post(server, CHOICES), await post(server, CHOICES, rotations(2))];
  const again = [await post(server, CHOICES, rotations(2)), await post(server, CHOICES)];
  t.strictSame(
    [...first, ...again].map(({ isHit }) => isHit),
    [false, false, true, true],
  );
  t.equal(again[0]?.text, first[1]?.text);
  t.equal(again[1]?.text, first[0]?.text);
});

test('a request with too many prompts is refused', async (t) => {
  const server = await start(t);
  const criteria = Array.from({ length: 26 }, (_, at) => `${at}`);
  const questions = Object.fromEntries(
    criteria.slice(0, 16).map((name) => [name, { type: 'choice', criteria }]),
  );
  const { status, json } = await post(server, { state: 'x', questions }, rotations(26));
  t.strictSame([status, json.type], [400, 'invalid_request']);
  t.match(json.error, /^`Service-Option-Rotations`: 26 rotations .* 416 prompts; the limit is 400 /);
});
