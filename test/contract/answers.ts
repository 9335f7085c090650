import { BUILDS } from '../support/contract/service.js';
import { ASK, type ContractTest, rule } from '../support/contract/suite.js';

const CRITERIA = ['billing', 'technical', 'sales'];
const ALL = {
  state: 'My card was charged twice!',
  questions: {
    n: { type: 'noul', instructions: 'Is the customer angry?' },
    c: { type: 'choice', instructions: 'Who should answer?', criteria: CRITERIA },
    s: { type: 'score', instructions: 'How urgent?', criteria: ['can wait', null, 'now'] },
  },
};
const values = (probabilities: object): number[] => Object.values(probabilities);
const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const isRounded = (p: number) => Math.abs(p * 10_000 - Math.round(p * 10_000)) < 1e-6;

/** Asks about many states, to get a variety of answers. */
const STATES = Array.from({ length: 12 }, (_, at) => `case ${at} ${'lost parcel '.repeat(at)}`);

/** Contract 2.4. */
export const ANSWERS: readonly ContractTest[] = [
  rule('2.4 model: the build that answered', async (t, { post }) => {
    const { json } = await post({ ...ALL, model: 'decider-g-31b' });
    t.equal(json.model, BUILDS['decider-g-31b']);
    t.strictSame(Object.keys(json), ['model', 'answers', 'usage']);
  }),
  rule('2.4 answers: one per question', async (t, { post }) => {
    const { status, json } = await post(ALL);
    t.equal(status, 200);
    t.strictSame(Object.keys(json.answers), ['n', 'c', 's']);
  }),
  rule('2.4 answers: the same whether asked together or alone', async (t, { post }) => {
    const { json } = await post(ALL);
    for (const [name, question] of Object.entries(ALL.questions)) {
      const alone = await post({ ...ALL, questions: { [name]: question } });
      t.strictSame(Object.keys(alone.json.answers[name]), Object.keys(json.answers[name]));
      if (name === 'n') continue;
      const [p, q] = [json, alone.json].map((each) => values(each.answers[name].probabilities));
      t.ok(
        p?.every((each, at) => Math.abs(each - (q?.[at] ?? 2)) < 0.002),
        `${p} ${q}`,
      );
    }
    t.equal((await post(ALL)).text, (await post(ALL)).text, 'the same request, the same bytes');
  }),
  rule('2.4 usage: integers; the state counts once, each question separately', async (t, { post }) => {
    const usage = async (count: number) => {
      const questions = Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, ASK.q]));
      return (await post({ state: 'a state '.repeat(50), questions })).json.usage;
    };
    const [one, two, sixteen] = [await usage(1), await usage(2), await usage(16)];
    t.strictSame(Object.keys(one), ['input_tokens', 'output_tokens']);
    const each = two.input_tokens - one.input_tokens;
    t.ok(Number.isInteger(one.input_tokens) && each > 0 && each < one.input_tokens / 2);
    t.equal(sixteen.input_tokens, one.input_tokens + 15 * each);
    t.strictSame([one.output_tokens, sixteen.output_tokens], [1, 16]);
  }),
  rule('2.4 noul: a probability of yes, committed to at least 0.80', async (t, { post }) => {
    for (const state of STATES) {
      const { json } = await post({ state, questions: { n: ALL.questions.n } });
      t.strictSame(Object.keys(json.answers.n), ['type', 'noul']);
      const { noul } = json.answers.n;
      t.ok((noul >= 0.8 && noul <= 1) || (noul <= 0.2 && noul >= 0), `${noul}`);
      t.ok(isRounded(noul));
    }
  }),
  rule(
    '2.4 choice: the most probable label, its confidence, and a probability for every label',
    async (t, { post }) => {
      for (const state of STATES) {
        const { json } = await post({ state, questions: { c: ALL.questions.c } });
        const { type, choice, confidence, probabilities, ...more } = json.answers.c;
        t.strictSame([type, more], ['choice', {}]);
        t.strictSame(Object.keys(probabilities), CRITERIA);
        const all = values(probabilities);
        const most = Math.max(...all);
        t.equal(probabilities[choice], most);
        t.ok(all.every(isRounded) && Math.abs(sum(all) - 1) < 1e-9, `${all}`);
        t.ok(Math.abs(confidence - (most - 1 / 3) / (1 - 1 / 3)) <= 0.00005 + 1e-9);
      }
      const { json } = await post({ state: 'x', questions: { c: { type: 'choice', criteria: ['only'] } } });
      t.strictSame(json.answers.c, {
        type: 'choice',
        choice: 'only',
        confidence: 1,
        probabilities: { only: 1 },
      });
    },
  ),
  rule(
    '2.4 score: the most probable level, the mean, a confidence, a legend, and a probability for every level',
    async (t, { post }) => {
      for (const state of STATES) {
        const { json } = await post({ state, questions: { s: ALL.questions.s } });
        const { type, level, score, confidence, legend, probabilities, ...more } = json.answers.s;
        t.strictSame([type, more], ['score', {}]);
        t.strictSame(legend, { 0: 'can wait', 1: 'Level 1', 2: 'now' });
        t.strictSame(Object.keys(probabilities), ['0', '1', '2']);
        const p = values(probabilities);
        t.ok(p.every(isRounded) && Math.abs(sum(p) - 1) < 1e-9, `${p}`);
        t.equal(p.indexOf(Math.max(...p)), level);
        t.ok(Math.abs(score - sum(p.map((each, at) => each * at))) < 1e-9);
        const deviation = sum(p.map((each, at) => each * Math.abs(at - level)));
        const expected = Math.max(0, 1 - deviation / (2 / 3));
        t.ok(Math.abs(confidence - expected) <= 0.00005 + 1e-9, `${confidence} ${expected}`);
      }
    },
  ),
  rule(
    '4.1 Service-Raw-Probabilities: true adds unrounded, uncommitted probabilities, and nothing else changes',
    async (t, { post }) => {
      const headers = { 'service-raw-probabilities': 'true' };
      const [plain, more] = [await post(ALL), await post(ALL, { headers })];
      const options = { n: ['true', 'false'], c: CRITERIA, s: ['0', '1', '2'] };
      for (const [name, keys] of Object.entries(options)) {
        const { raw_probabilities: raw, ...rest } = more.json.answers[name];
        t.strictSame(rest, plain.json.answers[name]);
        t.strictSame(Object.keys(raw), keys);
        t.ok(Math.abs(sum(values(raw)) - 1) < 1e-9);
        t.notOk(values(raw).every(isRounded), `${values(raw)}`);
        for (const [key, p] of Object.entries(rest.probabilities ?? {})) {
          t.ok(Math.abs(raw[key] - (p as number)) <= 1e-4);
        }
      }
      const { n } = more.json.answers;
      t.equal(n.raw_probabilities.true >= 0.5, n.noul >= 0.8);
      t.strictSame(more.json.usage, plain.json.usage);
      t.equal((await post(ALL, { headers: { 'service-raw-probabilities': '1' } })).text, plain.text);
    },
  ),
  rule(
    '4.1 Service-Label-Mass: true adds the probability of the labels, and nothing else changes',
    async (t, { post }) => {
      const [plain, more] = [await post(ALL), await post(ALL, { headers: { 'service-label-mass': 'true' } })];
      for (const name of Object.keys(ALL.questions)) {
        const { label_mass: mass, ...rest } = more.json.answers[name];
        t.strictSame(rest, plain.json.answers[name]);
        t.ok(mass > 0 && mass <= 1, `${mass}`);
        t.equal(mass, Number(mass.toPrecision(4)));
      }
      t.strictSame(more.json.usage, plain.json.usage);
      for (const value of ['1', 'false', 'yes', '']) {
        t.equal((await post(ALL, { headers: { 'service-label-mass': value } })).text, plain.text);
      }
    },
  ),
  rule('2.4 diagnostics: fields after the others, in their order', async (t, { post }) => {
    const headers = { 'service-label-mass': 'TRUE', 'service-raw-probabilities': 'True' };
    const [plain, more] = [await post(ALL), await post(ALL, { headers })];
    for (const name of Object.keys(ALL.questions)) {
      t.strictSame(Object.keys(more.json.answers[name]), [
        ...Object.keys(plain.json.answers[name]),
        'raw_probabilities',
        'label_mass',
      ]);
    }
  }),
  rule(
    '4.1 Service-Option-Rotations: averages over orders of the options, every order billed',
    async (t, { post }) => {
      const raw = { 'service-raw-probabilities': 'true' };
      const c = ALL.questions.c;
      const of = async (criteria: readonly string[]) =>
        (await post({ ...ALL, questions: { c: { ...c, criteria } } }, { headers: raw })).json;
      const singles = [await of(['a', 'b', 'c']), await of(['b', 'c', 'a']), await of(['c', 'a', 'b'])];
      const questions = { c: { ...c, criteria: ['a', 'b', 'c'] } };
      const { json } = await post(
        { ...ALL, questions },
        { headers: { ...raw, 'service-option-rotations': '3' } },
      );
      for (const label of ['a', 'b', 'c']) {
        const mean = sum(singles.map((each) => each.answers.c.raw_probabilities[label])) / 3;
        t.ok(Math.abs(json.answers.c.raw_probabilities[label] - mean) < 0.002);
        t.ok(Math.abs(json.answers.c.raw_probabilities[label] - json.answers.c.probabilities[label]) <= 1e-4);
      }
      t.ok(Math.abs(sum(values(json.answers.c.probabilities)) - 1) < 1e-9);
      const of16 = (count: number) =>
        post({ ...ALL, questions: count === 1 ? questions : { ...questions, d: questions.c } });
      const [one, two] = [(await of16(1)).json.usage, (await of16(2)).json.usage];
      // The prompts of a rotation have as many tokens each, so each further one costs as much as a further question.
      t.strictSame(json.usage, { input_tokens: 2 * two.input_tokens - one.input_tokens, output_tokens: 1 });
      const all = await post(ALL, { headers: { 'service-option-rotations': '26' } });
      const plain = await post(ALL);
      for (const name of ['n', 's'])
        t.strictSame(Object.keys(all.json.answers[name]), Object.keys(plain.json.answers[name]));
      t.equal((await post(ALL, { headers: { 'service-option-rotations': '1' } })).text, plain.text);
    },
  ),
  rule('4.1 Service-Option-Rotations: 1 to 26, given once, for at most 400 prompts', async (t, { post }) => {
    const ask = (value: string, body: object = ALL) =>
      post(body, { headers: { 'service-option-rotations': value } });
    for (const value of ['0', '27', '-1', '1.5', '2, 2', 'two', '', '02', '1e1', '2 3']) {
      const { status, json } = await ask(value);
      t.strictSame([status, json.type], [400, 'invalid_request'], value);
      t.match(json.error, /^`Service-Option-Rotations` must be an integer from 1 to 26/);
    }
    const labels = Array.from({ length: 26 }, (_, at) => `${at}`);
    const choices = (count: number) =>
      Object.fromEntries(labels.slice(0, count).map((name) => [name, { type: 'choice', criteria: labels }]));
    const refused = await ask('26', { state: 'x', questions: choices(16) });
    t.strictSame([refused.status, refused.json.type], [400, 'invalid_request']);
    t.match(refused.json.error, /`Service-Option-Rotations`: .* 416 prompts; the limit is 400/);
    t.equal((await ask('26')).status, 200);
  }),
  rule('1 rule 1: one call answers every question, with probabilities', async (t, { post }) => {
    const { status, json } = await post(ALL);
    t.equal(status, 200);
    t.type(json.answers.n.noul, 'number');
    for (const name of ['c', 's']) t.equal(values(json.answers[name].probabilities).length, 3);
  }),
  rule('1 rule 3: one JSON object, no streaming, no generated text', async (t, { post }) => {
    const { text, headers } = await post({ ...ALL, stream: true, max_tokens: 5 });
    t.equal(text, (await post(ALL)).text);
    t.match(headers.get('content-type'), /^application\/json/);
    for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/embeddings']) {
      t.equal((await post(ALL, { path })).status, 404, path);
    }
  }),
];
