import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { test } from 'tap';
import { answer, type DecideRequest, planRequest } from '../../src/decide/index.js';
import {
  LABEL_MASS,
  LABELS_MAX,
  LETTERS,
  type OpenModel,
  openModel,
  type Plan,
} from '../../src/engine/index.js';
import { property } from '../support/decide/forging.js';
import { choiceOf } from '../support/decide/questions.js';
import { addon, answerAll, buildOf, openContext } from '../support/engine.js';
import { NEEDS_GEMMA3, openGemma3 } from '../support/gemma3/gemma3.js';

// A vocabulary of 262,145 tokens, as trained models have it.

const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
const HOSTILE_ROUNDS = 300;

const folder = mkdtempSync(join(tmpdir(), 'decider-gemma3-'));
t.teardown(() => rmSync(folder, { recursive: true }));
/** Written once: it takes seconds. */
let opened: OpenModel | null = null;
test('the model opens', NEEDS_GEMMA3, (t) => {
  opened = openGemma3(folder);
  t.equal(opened.description.vocabularySize, 262_145);
  t.equal(opened.description.controlTokens.length, 6_253);
  t.end();
});
const model = () => opened as OpenModel;

test('255 labels: A to Z and the first pairs, of which GZ is no token', NEEDS_GEMMA3, (t) => {
  const { labelSet } = model().profile;
  t.strictSame(
    labelSet.list.map(({ text }) => text),
    [...LETTERS, ...PAIRS.filter((pair) => pair !== 'GZ')].slice(0, LABELS_MAX),
  );
  t.equal(labelSet.list.at(-1)?.text, 'IV');
  for (const { text, token } of labelSet.list) t.equal(model().tokenizer.piece(token).toString(), text);
  t.end();
});

test(
  '255 options: the highest logit is that of the label of the choice, and the probabilities sum to 1',
  NEEDS_GEMMA3,
  (t) => {
    const { profile, tokenizer, description } = model();
    const names = Array.from({ length: LABELS_MAX }, (_, at) => `product ${at}`);
    const question = { ...choiceOf(...names), instructions: 'Which product is it about?' };
    const request: DecideRequest = {
      model: null,
      state: { kind: 'text', value: 'The lid of product 77 does not close.' },
      questions: [question],
      imageBudget: 280,
      assets: [],
    };
    const { plan } = planRequest(request, model());
    const [suffix] = plan.suffixes as [Plan['suffixes'][number]];
    const shown = Buffer.concat([...suffix.tokens].map((token) => tokenizer.piece(token))).toString();
    profile.labelSet.list.forEach(({ text }, at) => {
      if (!shown.includes(`\n${text}. product ${at}\n`)) t.fail(`the prompt does not show ${text}`);
    });
    const context = openContext(model());
    const ask = (options: Int32Array) =>
      answerAll(context, [{ ...plan, suffixes: [{ ...suffix, options }] }])[0]?.[0] as Float32Array;
    const row = ask(Int32Array.from({ length: description.vocabularySize }, (_, token) => token));
    const logits = ask(Int32Array.of(...suffix.options, LABEL_MASS));
    context.close();
    const own = logits.slice(0, LABELS_MAX);
    // Found by their texts alone, not by what the profile has found.
    const expected = profile.labelSet.list.map(({ text }) => row[tokenizer.plain(text)[0] as number]);
    t.strictSame([...own], expected);
    const found = answer(question, own, 1);
    t.equal(found.type, 'choice');
    if (found.type !== 'choice') return t.end();
    t.equal(found.choice, names[own.indexOf(Math.max(...own))]);
    const units = found.probabilities.map(([, p]) => Math.round(p * 10_000));
    t.equal(
      units.reduce((sum, each) => sum + each, 0),
      10_000,
    );
    const sum = (values: ArrayLike<number>) =>
      Array.from(values).reduce((total, logit) => total + Math.exp(logit), 0);
    const mass = Math.log(sum(own) / sum(row));
    t.ok(Math.abs((logits.at(-1) as number) - mass) < 1e-5, `label mass: ${logits.at(-1)}, and ${mass}`);
    t.end();
  },
);

for (const profile of ['letters', 'mapika'])
  test(`callers' text becomes no control token: ${profile}`, NEEDS_GEMMA3, (t) => {
    const reader = openModel(addon, '', buildOf(model().build.path, { profile }));
    property(t, reader, HOSTILE_ROUNDS, reader.description.controlTokens);
    t.end();
  });
