import { test } from 'tap';
import type { Plan } from '../../src/engine/index.js';
import {
  buildSteps,
  COUPLED_PRODUCT_MAX,
  chooseForm,
  fitTogether,
  longestPrompt,
  type Step,
  type WaveBounds,
} from '../../src/engine/wave/index.js';
import { BOUNDS } from '../helpers/engine.js';
import { random, seedFromEnvironment } from '../helpers/random.js';

const leaf = (length: number, from: number) => ({
  tokens: Int32Array.from({ length }, (_, i) => from + i),
  options: Int32Array.of(7, 8),
});

/** Plays the steps on a cache of plain lists and returns what each answer slot saw, in order. */
function play(steps: readonly Step[], bounds: WaveBounds) {
  const cache = new Map<number, number[]>();
  const seen: Array<{ place: unknown; prompt: number[] }> = [];
  let mostCells = 0;
  for (const step of steps) {
    if (step.do === 'copy') cache.set(step.to, [...(cache.get(step.from) ?? [])]);
    else if (step.do === 'remove') cache.delete(step.sequence);
    else {
      const { batch } = step;
      if (batch.tokens.length > bounds.batchTokens + bounds.microBatchTokensMin) throw new Error('too long');
      batch.tokens.forEach((token, i) => {
        const sets = batch.sequences.slice(batch.sequenceOffsets[i], batch.sequenceOffsets[i + 1]);
        for (const sequence of sets) {
          if (sequence > bounds.sequences) throw new Error('a sequence too many');
          const list = cache.get(sequence) ?? [];
          if (list.length !== batch.positions[i]) throw new Error('positions do not follow each other');
          cache.set(sequence, [...list, token]);
        }
        const slot = batch.slots.indexOf(i);
        if (slot >= 0) seen.push({ place: step.leaves[slot], prompt: cache.get(sets[0] as number) ?? [] });
      });
      mostCells = Math.max(mostCells, cellsOf(cache));
    }
  }
  return { seen, mostCells };
}

/** Cells of the unified cache: equal beginnings that were shared count once. */
function cellsOf(cache: Map<number, number[]>): number {
  const cells = new Set<string>();
  for (const list of cache.values()) {
    for (const [position, token] of list.entries()) cells.add(`${position} ${token}`);
  }
  return cells.size;
}

test('property: every leaf sees its prefix and itself, once, within the bounds', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  for (let round = 0; round < 300; round++) {
    const bounds = {
      cells: 200 + next.integer(800),
      batchTokens: 64 + next.integer(400),
      microBatchTokens: 64,
      microBatchTokensMin: next.integer(2) * 64,
      sequences: 2 + next.integer(30),
    };
    let token = 0;
    const plans: Plan[] = [];
    for (let wanted = 1 + next.integer(6); wanted > 0; wanted--) {
      const prefix = Int32Array.from({ length: 1 + next.integer(120) }, () => token++);
      const leaves = Array.from({ length: 1 + next.integer(16) }, () => {
        const made = leaf(1 + next.integer(40), token);
        token += made.tokens.length;
        return made;
      });
      const plan = { prefix, leaves };
      if (longestPrompt(plan) <= bounds.cells && fitTogether([...plans, plan], bounds)) plans.push(plan);
    }
    const { seen, mostCells } = play(buildSteps(plans, bounds), bounds);
    const expected = plans.flatMap((plan, index) =>
      plan.leaves.map((one, i) => ({
        place: { plan: index, leaf: i },
        prompt: [...plan.prefix, ...one.tokens],
      })),
    );
    const order = (list: typeof seen) =>
      [...list].sort((a, b) => (JSON.stringify(a.place) < JSON.stringify(b.place) ? -1 : 1));
    if (JSON.stringify(order(seen)) !== JSON.stringify(order(expected))) t.fail(`round ${round} differs`);
    if (mostCells > bounds.cells + bounds.microBatchTokensMin)
      t.fail(`round ${round} takes ${mostCells} cells`);
  }
  t.pass('300 rounds');
});

test('the form: coupled up to the product, copied past it and where it does not fit one decode', async (t) => {
  const plan = (prefix: number, questions: number): Plan => ({
    prefix: new Int32Array(prefix),
    leaves: Array.from({ length: questions }, () => leaf(1, 0)),
  });
  const at = COUPLED_PRODUCT_MAX / 16;
  t.equal(chooseForm(plan(at, 16), BOUNDS), 'coupled');
  t.equal(chooseForm(plan(at + 1, 16), BOUNDS), 'copied');
  t.equal(chooseForm(plan(BOUNDS.batchTokens - 2, 2), BOUNDS), 'coupled');
  t.equal(chooseForm(plan(BOUNDS.batchTokens - 1, 2), BOUNDS), 'copied');
  t.equal(chooseForm(plan(BOUNDS.batchTokens * 3, 1), BOUNDS), 'coupled', 'one leaf shares nothing');
});

test('a small last micro-batch is filled up and the filling forgotten', async (t) => {
  const steps = buildSteps([{ prefix: new Int32Array(10), leaves: [leaf(5, 0)] }], BOUNDS);
  t.equal(steps[0]?.do === 'decode' && steps[0].batch.tokens.length, 64);
  t.strictSame(steps[1], { do: 'remove', sequence: BOUNDS.sequences });
  const whole = buildSteps([{ prefix: new Int32Array(60), leaves: [leaf(4, 0)] }], BOUNDS);
  t.equal(whole.length, 1);
});
