import sharp from 'sharp';
import tap, { test } from 'tap';
import { LIMITS } from '../../src/api/index.js';
import { clientPackage } from '../support/client-package.js';
import { png } from '../support/images/png.js';
import { modelsFolder, startTestServer } from '../support/server.js';

const { default: OpenAI, BadRequestError } = await clientPackage('openai');
const server = await startTestServer(tap, {}, modelsFolder(tap.testdir(), {}, {}, 'gemma4uv'));
const client = new OpenAI({
  apiKey: server.headers.authorization.replace('Bearer ', ''),
  baseURL: `${server.url}/v1`,
});

const PREDICATE = { type: 'predicate', instructions: 'Is the customer asking for money back?' };
const dataUrl = (format: string, file: Buffer) => `data:image/${format};base64,${file.toString('base64')}`;
const sumOf = (probabilities: ReadonlyArray<{ probability: number }>) =>
  probabilities.reduce((sum, { probability }) => sum + probability, 0);

test('a question of every type, in order, with its name or null', async (t) => {
  const { answers, model, usage } = await client.decisions.create({
    model: 'gpt-6-luna',
    input: 'I was charged twice. Please refund the duplicate.',
    questions: [
      { ...PREDICATE, name: 'refund' },
      {
        type: 'choice',
        name: 'team',
        instructions: 'Which team should handle this?',
        choices: [{ value: 'billing', description: 'Charges and refunds' }, { value: 'support' }],
      },
      {
        type: 'choice',
        instructions: 'Is it?',
        choices: [{ value: true }, { value: false }, { value: 'true' }],
      },
      {
        type: 'score',
        name: 'severity',
        instructions: 'How severe is the issue?',
        levels: [{ label: 'cosmetic' }, { label: 'blocking', description: 'no workaround' }],
      },
    ],
  });
  t.equal(model, 'tiny-20260101', 'a model that is not served is answered by the default model');
  const [refund, team, same, severity] = answers;
  t.match(refund, { type: 'predicate', name: 'refund', probability: Number });
  t.match(team, { type: 'choice', name: 'team', choice: /^billing$|^support$/, confidence: Number });
  t.strictSame(
    team.probabilities.map(({ value }: { value: unknown }) => value),
    ['billing', 'support'],
  );
  t.strictSame(
    same.probabilities.map(({ value }: { value: unknown }) => value),
    [true, false, 'true'],
    'a boolean is not the string',
  );
  t.equal(same.name, null);
  t.match(severity, { type: 'score', name: 'severity', score: Number, confidence: Number });
  t.match(severity.probabilities, [
    { value: 0, label: 'cosmetic', probability: Number },
    { value: 1, label: 'blocking', probability: Number },
  ]);
  for (const { probabilities } of [team, same, severity]) t.ok(Math.abs(sumOf(probabilities) - 1) < 1e-9);
  t.match(usage, {
    input_tokens: Number,
    input_tokens_details: { cached_tokens: Number, cache_write_tokens: 0 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 0 },
  });
  t.equal(usage.total_tokens, usage.input_tokens + 4);
});

test('every kind of input that its types have', async (t) => {
  const text = { type: 'input_text', text: 'Look.', prompt_cache_breakpoint: { mode: 'explicit' } };
  const picture = { type: 'input_image', image_url: dataUrl('png', png()), detail: 'low' };
  const output = (type: string) => [
    {
      type,
      call_id: 'a',
      name: 'look_up',
      ...(type === 'function_call' ? { arguments: '{}' } : { input: 'x' }),
    },
    { type: `${type}_output`, call_id: 'a', output: [text, picture], status: 'completed' },
  ];
  const { answers } = await client.decisions.create({
    model: 'tiny',
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [text] },
      { type: 'message', role: 'user', content: [text, picture, { type: 'input_json', data: [{ a: 1 }] }] },
      { role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'Yes.' }] },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      ...output('function_call'),
      ...output('custom_tool_call'),
      { role: 'user', content: 'Well?' },
    ],
    questions: [{ ...PREDICATE, instructions: [text, picture, { type: 'input_json', data: { a: 1 } }] }],
    prompt_cache_key: 'k',
    prompt_cache_options: null,
    safety_identifier: 'user',
  });
  t.match(answers, [{ type: 'predicate', name: null, probability: Number }]);
});

test('images of any size and their detail', async (t) => {
  const photo = sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: 'red' } });
  const tokens = async (image_url: string, detail?: string) => {
    const content = [{ type: 'input_image', image_url, ...(detail && { detail }) }];
    const input = [{ role: 'user', content }];
    const { usage } = await client.decisions.create({ model: 'tiny', input, questions: [PREDICATE] });
    return usage.input_tokens as number;
  };
  const url = dataUrl('jpeg', await photo.jpeg().toBuffer());
  const [low, high] = [await tokens(url, 'low'), await tokens(url)];
  t.equal(high - low, 266 - 63, 'the squares of 4,000 × 3,000 pixels within 280 and within 70');
  t.equal(await tokens(url, 'original'), high);
  t.ok((await tokens(dataUrl('png', png({ width: 1, height: 1 })))) > 0);
});

test('400 questions in one request, answered in their order', async (t) => {
  const questions = Array.from({ length: LIMITS.decisionQuestions }, (_, at) => ({
    ...PREDICATE,
    name: `q${at}`,
  }));
  const { answers, usage } = await client.decisions.create({ model: 'tiny', input: 'x', questions });
  t.strictSame(
    answers.map(({ name }: { name: string }) => name),
    questions.map(({ name }) => name),
  );
  t.equal(usage.output_tokens, 400);
  const more = [...questions, PREDICATE];
  const refused = await client.decisions
    .create({ model: 'tiny', input: 'x', questions: more })
    .catch((e: unknown) => e);
  t.ok(refused instanceof BadRequestError);
  t.match(refused, { status: 400, code: 'too_many_questions', param: 'questions' });
});

test('a question that does not fit is a refusal; its response has its request id', async (t) => {
  const long = { ...PREDICATE, name: 'long', instructions: 'word '.repeat(60_000) };
  const call = client.decisions.create({ model: 'tiny', input: 'x', questions: [long, PREDICATE] });
  const { data, response, request_id } = await call.withResponse();
  t.strictSame(data.answers[0], { type: 'refusal', name: 'long' });
  t.equal(data.answers[1].type, 'predicate');
  t.match(request_id, /^req_/);
  t.equal(response.headers.get('x-request-id'), request_id);
});
