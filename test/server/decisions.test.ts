import { test } from 'tap';
import { Compile } from 'typebox/schema';
import { DECISIONS_EXAMPLE, DecisionsResponseSchema, OpenAiErrorSchema } from '../../src/openapi/index.js';
import { startForCallers } from '../support/callers.js';
import { bothForms, expectedDecisions } from '../support/decide/both-forms.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { modelsFolder, startTestServer } from '../support/server.js';
import { shared } from '../support/shared.js';

const server = shared((t) => startTestServer(t));

const PATH = '/v1/decisions';
const PREDICATE = { type: 'predicate', instructions: 'Is it late?' };
// biome-ignore lint/suspicious/noExplicitAny: what comes back is what the test is about
const read = async (response: Response): Promise<any> => response.json();
const ask = (input: unknown, questions: unknown = [PREDICATE]) => ({ model: 'gpt-6-luna', input, questions });

test('answers equal those of /v1/decide byte for byte in exact mode', async (t) => {
  const exact = await startTestServer(t, { DECIDER_ENGINE_EXACT: 'true' }, modelsFolder(t.testdir()));
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const headers = { ...exact.headers, 'Service-Raw-Probabilities': 'true' };
  for (let left = scaled({ short: 40, long: 200 }); left > 0; left -= 1) {
    const forms = bothForms(next);
    const body = JSON.stringify(forms.decide);
    const decided = await fetch(`${exact.url}/v1/decide`, { method: 'POST', headers, body });
    const answered = await exact.decide(forms.decisions, PATH);
    const text = await answered.text();
    if (!decided.ok || text !== expectedDecisions(forms, await decided.json())) {
      t.fail(`${text} for ${JSON.stringify(forms)}`);
      return;
    }
  }
  t.pass('all are equal');
});

test('the response fits its schema, names the build, and has the headers of a decision', async (t) => {
  const { decide } = await server();
  const answered = await decide({ ...DECISIONS_EXAMPLE, model: 'gpt-6-luna' }, PATH);
  t.equal(answered.status, 200);
  const [, faults] = Compile(DecisionsResponseSchema).Errors(await answered.clone().json());
  t.strictSame(faults, []);
  const { model, usage } = await read(answered);
  t.equal(model, 'tiny-20260101');
  t.equal(usage.output_tokens, 3);
  t.match(answered.headers.get('server-timing'), /^prepare;dur=.*engine;dur=/);
  t.match(answered.headers.get('x-request-id'), /^req_/);
  t.ok(answered.headers.get('service-key-id'));
  t.ok(answered.headers.get('x-ratelimit-limit-requests'));
});

test('a pinned model answers whatever the body names, or without a name', async (t) => {
  const { ask: send } = await server();
  for (const body of [ask('x'), { ...ask('x'), model: undefined }, { ...ask('x'), model: 7 }])
    t.equal((await send(body, '/m/tiny/v1/decisions')).model, 'tiny-20260101');
  t.match(await send(ask('x'), '/m/none/v1/decisions'), { error: { code: 'model_not_found', param: null } });
});

test('errors have the form of OpenAI, whatever refuses the request', async (t) => {
  const { url, decide, headers } = await server();
  const schema = Compile(OpenAiErrorSchema);
  const post = (more: Record<string, string>, body = JSON.stringify(ask('x'))) =>
    fetch(url + PATH, { method: 'POST', headers: { ...headers, ...more }, body });
  const refusals: ReadonlyArray<readonly [Response, number, string, string, string | null]> = [
    [await fetch(url + PATH, { headers }), 405, 'invalid_request_error', 'method_not_allowed', null],
    [await post({ authorization: 'Bearer x' }), 401, 'authentication_error', 'unauthorized', null],
    [await post({ 'content-encoding': 'br' }), 415, 'invalid_request_error', 'unsupported_encoding', null],
    [
      await post({ 'content-type': 'multipart/form-data; boundary=b' }),
      415,
      'invalid_request_error',
      'unsupported_media_type',
      null,
    ],
    [await post({ 'content-encoding': 'gzip' }), 400, 'invalid_request_error', 'bad_encoding', null],
    [await decide('{', PATH), 400, 'invalid_request_error', 'invalid_json', null],
    [await decide([], PATH), 400, 'invalid_request_error', 'invalid_request', null],
    [await decide({ ...ask(''), input: undefined }, PATH), 400, 'invalid_request_error', 'missing', 'input'],
    [await decide(ask('x', []), PATH), 400, 'invalid_request_error', 'invalid_questions', 'questions'],
    [await decide(ask('x', [{}]), PATH), 400, 'invalid_request_error', 'invalid_type', 'questions[0].type'],
    [
      await decide(
        ask([{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b.png' }] }]),
        PATH,
      ),
      400,
      'invalid_request_error',
      'remote_image',
      'input[0].content[0].image_url',
    ],
  ];
  for (const [response, status, type, code, param] of refusals) {
    const json = await read(response);
    t.strictSame(
      [response.status, json.error.type, json.error.code, json.error.param],
      [status, type, code, param],
    );
    t.strictSame(schema.Errors(json)[1], []);
    t.ok(response.headers.get('x-request-id'));
  }
  const elsewhere = await read(await fetch(`${url}/v1/decisions/x`, { headers }));
  t.strictSame(Object.keys(elsewhere), ['error', 'type'], 'another path has the own form');
});

test('more choices than the model can answer: 400 that names its number', async (t) => {
  const { decide } = await server();
  const choices = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `v${at}` }));
  const send = (count: number) =>
    decide(ask('x', [PREDICATE, { type: 'choice', choices: choices(count) }]), PATH);
  t.equal((await send(26)).status, 200);
  const refused = await send(255);
  t.equal(refused.status, 400);
  const { error } = await read(refused);
  t.match(error, { code: 'too_many_options', param: 'questions[1].choices' });
  t.match(error.message, /has 255 options; the model tiny-20260101 can answer at most \d+ options/);
});

test('a question that does not fit is refused, the others are answered and billed', async (t) => {
  const { ask: send, headers, url } = await server();
  const spent = async () => (await read(await fetch(`${url}/v1/usage`, { headers }))).total;
  const long = { ...PREDICATE, name: 'long', instructions: 'late '.repeat(9_000) };
  const alone = await send(ask('x'), PATH);
  const mixed = await send(ask('x', [long, PREDICATE]), PATH);
  t.strictSame(mixed.answers[0], { type: 'refusal', name: 'long' });
  t.strictSame(mixed.answers[1], alone.answers[0]);
  t.equal(mixed.usage.input_tokens, alone.usage.input_tokens);
  t.equal(mixed.usage.output_tokens, 1);
  const before = await spent();
  for (const body of [ask('x', [long, long]), ask('late '.repeat(9_000), [PREDICATE, long])]) {
    const none = await send(body, PATH);
    t.strictSame(
      none.answers.map(({ type }: { type: string }) => type),
      ['refusal', 'refusal'],
    );
    t.match(none.usage, { input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  }
  t.strictSame(await spent(), before, 'nothing is charged for refusals');
});

test('400 questions: the prefix is computed once, and billed once', async (t) => {
  const environment = await operatorSettings();
  const { ask: send, operatorUrl } = await startTestServer(t, environment, modelsFolder(t.testdir()));
  const computed = async () => {
    const text = await (await operatorFetch(operatorUrl as string, '/metrics')).text();
    return Number(/^decider_wave_tokens_sum\{model="tiny-20260101"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const state = 'The parcel was lost and nobody answers. '.repeat(10);
  const questions = Array.from({ length: 400 }, (_, at) => ({ ...PREDICATE, instructions: `Is it ${at}?` }));
  await send(ask('warm'), PATH);
  const before = await computed();
  const { answers, usage } = await send(ask(state, questions), PATH);
  t.equal(answers.length, 400);
  t.equal(usage.output_tokens, 400);
  t.equal((await computed()) - before, usage.input_tokens - usage.input_tokens_details.cached_tokens);
  const one = await send(ask(state, questions.slice(0, 1)), PATH);
  const two = await send(ask(state, questions.slice(0, 2)), PATH);
  const second = two.usage.input_tokens - one.usage.input_tokens;
  t.ok(second < 60, 'another question adds its own tokens only');
});

test('cached_tokens is what the prefix cache saved, and changes no charge', async (t) => {
  const { ask: send } = await server();
  const state = 'The parcel was lost and nobody answers. '.repeat(40);
  const usages = [];
  for (let count = 0; count < 4; count += 1) usages.push((await send(ask(state), PATH)).usage);
  const [first, , third] = usages;
  t.ok(first.input_tokens_details.cached_tokens < 100, 'at most what every prompt begins with');
  t.ok(third.input_tokens_details.cached_tokens > 300, 'the whole state');
  t.ok(third.input_tokens_details.cached_tokens < third.input_tokens);
  t.equal(new Set(usages.map(({ input_tokens }) => input_tokens)).size, 1);
});

test('a state is computed once for each workspace: neither cached_tokens nor the time tells of others', async (t) => {
  const { server: served, caller } = await startForCallers(t, await operatorSettings());
  const computed = async () => {
    const text = await (await operatorFetch(served.operatorUrl as string, '/metrics')).text();
    return Number(/^decider_wave_tokens_sum\{model="tiny-20260101"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const callers = { first: caller('first'), second: caller('second') };
  const askAs = async (name: keyof typeof callers, state: string) => {
    const before = await computed();
    const { body } = await callers[name].post(PATH, JSON.stringify(ask(state)), {
      'content-type': 'application/json',
    });
    const { usage } = JSON.parse(body);
    const tokens = (await computed()) - before;
    const { cached_tokens: cached } = usage.input_tokens_details;
    t.equal(tokens + cached, usage.input_tokens, 'every token is computed or cached');
    return cached;
  };
  const state = 'The parcel was lost and nobody answers. '.repeat(40);
  // The head is computed; then the first repeat shows that keeping states pays off.
  for (const each of ['x', state, state]) await askAs('first', each);
  t.ok((await askAs('first', state)) > 300, 'the whole state');
  const head = await askAs('second', state);
  t.ok(head < 100, 'what every prompt begins with');
  t.equal(await askAs('second', 'Another state. '.repeat(40)), head, 'as for a state that nobody has sent');
});

test('/v1/limits has the limits of decisions', async (t) => {
  const { url, headers } = await server();
  const limits = await read(await fetch(`${url}/v1/limits`, { headers }));
  t.match(limits.server, {
    decision_questions: 400,
    decision_choices: 255,
    decision_levels: 26,
    questions: 16,
  });
});

test('/v1/decide keeps its limits: 16 questions, 26 options', async (t) => {
  const { decide } = await server();
  const options = Array.from({ length: 27 }, (_, at) => `o${at}`);
  for (const path of ['/v1/decide', '/v1/systemone']) {
    const refused = await decide(
      { state: 'x', questions: { q: { type: 'choice', criteria: options } } },
      path,
    );
    t.strictSame([refused.status, Object.keys(await read(refused))], [422, ['error', 'type']]);
  }
});

test('diagnostics: the same headers, and nothing else changes', async (t) => {
  const { url, headers, ask: send } = await server();
  const body = { ...DECISIONS_EXAMPLE, input: 'The parcel is late.' };
  const more = { 'Service-Raw-Probabilities': 'true', 'Service-Label-Mass': 'true' };
  const plain = await send(body, PATH);
  const post = (own: Record<string, string>) =>
    fetch(url + PATH, { method: 'POST', headers: { ...headers, ...own }, body: JSON.stringify(body) });
  const { answers } = await read(await post(more));
  for (const [index, answer] of answers.entries()) {
    const { raw_probabilities: raw, label_mass: mass, ...rest } = answer;
    t.strictSame(rest, plain.answers[index]);
    t.ok(mass > 0 && mass <= 1);
    t.equal(raw.length, index === 0 ? 2 : 3);
    t.ok(Math.abs(raw.reduce((sum: number, p: number) => sum + p, 0) - 1) < 1e-9);
  }
  const rotated = await read(await post({ 'Service-Option-Rotations': '3' }));
  t.ok(rotated.usage.input_tokens > plain.usage.input_tokens);
  t.equal(rotated.usage.output_tokens, 3);
  const refused = await post({ 'Service-Option-Rotations': '0' });
  t.match(await refused.json(), { error: { code: 'invalid_request', type: 'invalid_request_error' } });
});
