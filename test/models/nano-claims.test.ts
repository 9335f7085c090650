import { test } from 'tap';
import type { Answer } from '../../models/nano/card/answers.js';
import { CLAIM, NEAR, SHIPPED } from '../../models/nano/card/bounds.js';
import { claimsOf, domainOf, meets, missed, notClaimed } from '../../models/nano/card/claims.js';
import {
  type Figures,
  figuresOf,
  lowerEnd,
  type SetFigures,
  type Share,
} from '../../models/nano/card/figures.js';

const share = (right: number, questions: number): Share => ({ right, questions, guessing: 0.5 });

test('a claim needs 80 % of right answers', async (t) => {
  t.equal(CLAIM.accuracyMin, 0.8);
  t.ok(meets(share(800, 1000)));
  t.notOk(meets(share(799, 1000)));
  t.notOk(meets(undefined));
});

test('a claim needs an interval whose lower end is above 70 %', async (t) => {
  t.equal(CLAIM.lowerEndAbove, 0.7);
  t.match(lowerEnd(share(26, 30)).toFixed(3), '0.703');
  t.ok(meets(share(26, 30)));
  t.match(lowerEnd(share(25, 30)).toFixed(3), '0.664');
  t.notOk(meets(share(25, 30)));
});

test('a claim needs more right answers than guessing gives', async (t) => {
  t.ok(meets({ right: 901, questions: 1000, guessing: 0.9 }));
  t.notOk(meets({ right: 900, questions: 1000, guessing: 0.9 }));
});

const set = (change: Partial<SetFigures> = {}): SetFigures => ({
  questions: 1000,
  right: 1000,
  guessing: 0.5,
  confidence: 0.4,
  sureAndWrong: 0,
  ece: 0.01,
  ...change,
});

function figures(change: Partial<Record<keyof Figures['sets'], Partial<SetFigures>>> = {}): Figures {
  const names = ['held', 'handwritten', 'near', 'outside', 'scale'] as const;
  return {
    build: 'decider-g-nano-20260101',
    sets: Object.fromEntries(names.map((name) => [name, set(change[name])])) as Figures['sets'],
    families: {
      'urgency choice': {
        held: share(95, 100),
        handwritten: share(CLAIM.handwrittenMin, CLAIM.handwrittenMin),
      },
      'urgency noul': {
        held: share(95, 100),
        handwritten: share(CLAIM.handwrittenMin - 1, CLAIM.handwrittenMin - 1),
      },
      'lookup choice': { held: share(95, 100), handwritten: share(20, 40) },
      'member noul': { handwritten: share(40, 40) },
    },
    near: {},
  };
}

test('a kind is claimed by both sets, with at least 30 hand-written questions', async (t) => {
  const claims = claimsOf(figures());
  t.strictSame(
    claims.filter(({ isClaimed }) => isClaimed).map(({ family, type }) => [family, type]),
    [['urgency', 'choice']],
  );
  t.strictSame(notClaimed(claims), ['urgency (yes or no)', 'look-up in a list', 'member of a list']);
  t.match(
    domainOf(figures()),
    /^short English .*; not for urgency \(yes or no\), look-up in a list, .* or long texts$/,
  );
});

/** Of each bound: the set, what meets it and what is one past it. */
const BOUNDS: ReadonlyArray<[keyof Figures['sets'], Partial<SetFigures>, Partial<SetFigures>]> = [
  ['held', { right: 900 }, { right: 899 }],
  ['handwritten', { right: 910 }, { right: 909 }],
  ['scale', { right: 1000 }, { right: 999 }],
  ['held', { ece: SHIPPED.eceMax }, { ece: SHIPPED.eceMax + 0.0001 }],
  ['handwritten', { ece: SHIPPED.eceMax }, { ece: SHIPPED.eceMax + 0.0001 }],
  ['near', { confidence: NEAR.confidenceMax }, { confidence: NEAR.confidenceMax + 0.0001 }],
  ['near', { sureAndWrong: NEAR.sureAndWrongMax }, { sureAndWrong: NEAR.sureAndWrongMax + 0.0001 }],
];

test('a build is shipped if it is within every bound', async (t) => {
  for (const [name, within, past] of BOUNDS) {
    const text = JSON.stringify({ name, ...past });
    t.strictSame(missed(figures({ [name]: within }), SHIPPED.fileMax), [], text);
    t.equal(missed(figures({ [name]: past }), SHIPPED.fileMax).length, 1, text);
  }
  t.strictSame(missed(figures(), SHIPPED.fileMax + 1), ['size of the file']);
});

const answer = (change: Partial<Answer>): Answer => ({
  family: 'gating',
  type: 'noul',
  expected: 'true',
  isRight: true,
  probability: 0.9,
  options: 2,
  ...change,
});

test('confidences are scaled: 0 is guessing; an answer is sure above 0.8', async (t) => {
  const near = [
    answer({ probability: 0.9, isRight: false }),
    answer({ probability: 0.91, isRight: false, expected: 'false' }),
    answer({ probability: 0.5 }),
    answer({ type: 'choice', probability: 0.25, options: 4 }),
  ];
  const empty = [answer({})];
  const sets = { held: empty, handwritten: empty, near, outside: empty, scale: empty };
  const found = figuresOf('b', sets);
  t.equal(found.sets.near.confidence, (0.8 + 0.82) / 4);
  t.equal(found.sets.near.sureAndWrong, 0.25, 'a confidence of 0.8 is not above the bound');
  t.match(found.sets.near, { questions: 4, right: 2, guessing: 0.4375 });
  t.strictSame(Object.keys(found.near), ['gating']);
  t.strictSame(found.families['gating noul'], {
    held: { questions: 1, right: 1, guessing: 1 },
    handwritten: { questions: 1, right: 1, guessing: 1 },
  });
});
