import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { planRequest } from '../../../src/decide/plan.js';
import { check, PREDICATE, withInput } from '../../support/decide/decisions.js';
import { openTiny } from '../../support/engine.js';

const LONG = { stateCodePoints: null, longQuestion: 'left out' } as const;
const ask = (input: unknown, ...instructions: string[]) =>
  check({
    ...withInput(input),
    questions: instructions.map((text) => ({ ...PREDICATE, instructions: text })),
  }).request;

test('a question that does not fit the context window is left out; the others are planned as without it', async (t) => {
  const model = openTiny(t.testdir());
  const { contextLength } = model;
  const plan = (...instructions: string[]) =>
    planRequest(ask('x', ...instructions), model, undefined, undefined, LONG);
  const long = 'word '.repeat(contextLength);
  const found = plan('a?', long, 'b?');
  t.strictSame(found.orders, [1, 0, 1]);
  const short = plan('a?', 'b?');
  t.strictSame(found.plan, short.plan);
  t.equal(found.inputTokens, short.inputTokens);
  t.throws(() => planRequest(ask('x', long), model), { type: 'invalid_question', message: /context window/ });
});

test('the bound is the context window, exactly', async (t) => {
  const model = openTiny(t.testdir());
  const request = ask('x', 'a?', 'a longer question?');
  const { plan, inputTokens } = planRequest(request, model, undefined, undefined, LONG);
  const [first, second] = plan.suffixes.map(({ tokens }) => plan.prefix.length + tokens.length) as [
    number,
    number,
  ];
  t.ok(second > first);
  const within = (contextLength: number) =>
    planRequest(request, { ...model, contextLength }, undefined, undefined, LONG);
  t.strictSame(within(second).orders, [1, 1]);
  t.equal(within(second).inputTokens, inputTokens);
  t.strictSame(within(second - 1).orders, [1, 0]);
  t.equal(within(second - 1).inputTokens, first, 'what is left out costs nothing');
  const none = within(first - 1);
  t.strictSame(none.orders, [0, 0]);
  t.match(none, { inputTokens: 0, plan: { suffixes: [], prefix: { length: 0 } } });
  t.strictSame(within(plan.prefix.length - 1).orders, [0, 0]);
});

/** A model whose tokenizer counts the bytes that it reads. */
function counted(model: ReturnType<typeof openTiny>) {
  const read = { bytes: 0 };
  const tokenizer = Object.assign(Object.create(model.tokenizer), {
    plain(text: string) {
      read.bytes += Buffer.byteLength(text);
      return model.tokenizer.plain(text);
    },
  });
  return { read, model: { ...model, tokenizer } };
}

test('questions that do not fit are tokenized up to a limit of bytes, and in one order only', (t) => {
  const { read, model } = counted({ ...openTiny(t.testdir()), contextLength: 4_000 });
  // More tokens than the context window, and yet not surely more: it is tokenized.
  const size = 16 * 1024;
  t.ok(size < model.tokenizer.bytesOf(model.contextLength) - 1_000);
  const plan = (questions: ReturnType<typeof ask>) =>
    planRequest(questions, model, undefined, { optionRotations: 26, labelMass: false }, LONG);
  const long = 'w '.repeat(size / 2);
  const count = Math.floor(LIMITS.leftOutBytes / size) - 1;
  const within = plan(ask('x', ...Array(count).fill(long), 'a?'));
  t.strictSame(within.orders, [...Array(count).fill(0), 1]);
  const beyond = ask('x', ...Array(400).fill(long));
  read.bytes = 0;
  t.throws(() => plan(beyond), { type: 'invalid_question', param: 'questions', message: /1048576 bytes/ });
  t.ok(read.bytes < LIMITS.leftOutBytes + 2 * size, `${read.bytes} bytes`);
  const options = Array.from({ length: 26 }, (_, at) => `k${at}`);
  const choice = {
    type: 'choice',
    instructions: long,
    choices: options.map((value) => ({ value })),
  };
  read.bytes = 0;
  const rotated = plan(check({ ...withInput('x'), questions: [choice] }).request);
  t.strictSame(rotated.orders, [0]);
  t.ok(read.bytes < 2 * size, `${read.bytes} bytes for one of 26 orders`);
  t.end();
});

test('all of a state is read, not its first 20,000 characters', async (t) => {
  const model = openTiny(t.testdir());
  const { tokenizer } = model;
  const state = `${'a'.repeat(30_000)}!`;
  const one = { ...model, contextLength: 100_000 };
  const { plan } = planRequest(ask(state, 'a?'), one, undefined, undefined, LONG);
  const { plan: cut } = planRequest(ask(state, 'a?'), one);
  t.equal(
    plan.prefix.length - cut.prefix.length,
    tokenizer.plain(state).length - tokenizer.plain(state.slice(0, 20_000)).length,
  );
});

test('a state that is surely too long is not tokenized', async (t) => {
  const model = openTiny(t.testdir());
  const { tokenizer, contextLength } = model;
  const bytes = tokenizer.bytesOf(contextLength);
  let tokenized = 0;
  const watched = {
    ...model,
    tokenizer: Object.assign(Object.create(tokenizer), {
      plain(text: string) {
        tokenized = Math.max(tokenized, text.length);
        return tokenizer.plain(text);
      },
    }),
  };
  const { orders } = planRequest(ask('a'.repeat(bytes + 1), 'a?'), watched, undefined, undefined, LONG);
  t.strictSame([orders, tokenized], [[0], 0]);
  planRequest(ask('a'.repeat(bytes), 'a?'), watched, undefined, undefined, LONG);
  t.ok(tokenized >= bytes);
});

test('indented JSON that is far too long is cut before it fills the memory', async (t) => {
  const model = openTiny(t.testdir());
  const deep = `${'{"a":'.repeat(50)}[${'1,'.repeat(200_000)}1]${'}'.repeat(50)}`;
  const body = `{"model":"m","input":[{"role":"user","content":[{"type":"input_json","data":${deep}}]}],"questions":[{"type":"predicate"}]}`;
  const { orders } = planRequest(check(body).request, model, undefined, undefined, LONG);
  t.strictSame(orders, [0]);
});
