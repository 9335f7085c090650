import { join } from 'node:path';
import { test } from 'tap';
import { CASES, type Case, casesNamed, describeCase, usualRounds } from '../../bench/engine/cases.js';
import { measure } from '../../bench/engine/measure.js';
import { openOurs, settingsOf } from '../../bench/engine/ours.js';
import { peerUnique } from '../../bench/engine/peer-tokens.js';
import { HEAD, resultOf, showResult } from '../../bench/engine/result.js';
import { textsOf } from '../../bench/engine/texts.js';
import { fullPrompts, longestOf, uniqueTokens } from '../../bench/engine/unique.js';
import { writeTinyModel } from '../../models/tiny/index.js';

const SMALL: Case = {
  name: 'small',
  requests: 2,
  questions: 2,
  stateTokens: 20,
  questionTokens: 60,
  arrival: 'together',
  oneState: false,
  model: 'smallest',
};

test('every case can be named, is described, and takes a bounded number of rounds', async (t) => {
  t.strictSame(casesNamed(undefined), CASES);
  t.strictSame(
    casesNamed('one_state,fixed_cost').map(({ name }) => name),
    ['one_state', 'fixed_cost'],
  );
  t.throws(() => casesNamed('none'), /no case none; there are one_question/);
  for (const one of CASES) {
    t.match(describeCase(one), /question/, describeCase(one));
    t.ok(usualRounds(one) >= 3 && usualRounds(one) <= 30, `${one.name}: ${usualRounds(one)} rounds`);
  }
});

test('a round has texts that no other has; requests on one state share it', async (t) => {
  const states = [0, 1].flatMap((round) => textsOf(SMALL, `round ${round}`).map(({ state }) => state));
  t.equal(new Set(states).size, 4);
  t.equal(new Set(textsOf({ ...SMALL, oneState: true }, 'round').map(({ state }) => state)).size, 1);
});

test('a measured case becomes a row of finite numbers', async (t) => {
  const path = join(t.testdir(), 'smallest.gguf');
  writeTinyModel(path, { layers: 2, globalEvery: 2 });
  const ours = await openOurs(path, settingsOf('cpu', 1));
  t.teardown(() => ours.close());
  const shared = textsOf({ ...SMALL, oneState: true }, 'round').map(ours.plan);
  const [first] = shared;
  const suffixes = shared.flatMap((plan) => plan.suffixes.map(({ tokens }) => tokens.length));
  const sum = suffixes.reduce((a, b) => a + b, 0);
  t.equal(uniqueTokens(shared).length, (first?.prefix.length ?? 0) + sum, 'one prefix, every suffix');
  t.equal(fullPrompts(shared).length, 4);
  t.equal(longestOf(shared), Math.max(...fullPrompts(shared).map((prompt) => prompt.length)));

  const measured = await measure(SMALL, 2, ours, null);
  t.equal(measured.rounds.length, 2);
  t.strictSame(measured.fullPrompts, { all: 4, measured: 2 });
  const result = resultOf(SMALL, measured, null, 1);
  const row = showResult(result);
  t.equal(row.length, HEAD.length);
  for (const value of [result.ratio_ideal, result.ratio_ideal_min, result.ratio_full, result.roofline]) {
    t.ok(Number.isFinite(value) && (value as number) > 0, row.join(' '));
  }
  t.equal(result.ratio_peer, null);
});

test('the peer is compared per unique token', async (t) => {
  t.equal(peerUnique(SMALL, { prefix: 30, question: 10 }), 2 * 30 + 4 * 10);
  t.equal(peerUnique({ ...SMALL, oneState: true }, { prefix: 30, question: 10 }), 30 + 4 * 10);
  const round = { ours: 10, planning: 0, ideal: 9, full: 40, peer: 30, tokens: 200, others: 0 };
  const result = resultOf(
    SMALL,
    { rounds: [round], parallelQuestions: 4, fullPrompts: { all: 4, measured: 2 } },
    100,
    null,
  );
  t.equal(result.ratio_peer, 6, 'three times the time for half the tokens');
  t.equal(result.ratio_ideal, 0.9);
});
