import { test } from 'tap';
import { LIMITS } from '../../../src/api/index.js';
import { webhookWaitMs } from '../../../src/batch/callbacks.js';
import { random, seedFromEnvironment } from '../../support/random.js';

test('the first attempt is immediate, the waits grow, and there are three attempts', async (t) => {
  const waits = (draw: number) => [0, 1, 2, 3, 4].map((attempts) => webhookWaitMs(attempts, () => draw));
  t.strictSame(waits(0), [0, 24_000, 240_000, null, null]);
  t.strictSame(waits(0.5), [0, 30_000, 300_000, null, null]);
  t.strictSame(waits(1 - 2 ** -53), [0, 36_000, 360_000, null, null]);
  t.equal(waits(0).filter((wait) => wait !== null).length, LIMITS.webhookAttempts);
});

test('a wait is a whole number within a fifth of its middle', async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const source = random(seed);
  const waits = Array.from({ length: 1_000 }, () => webhookWaitMs(1, () => source.number()) as number);
  t.ok(waits.every((wait) => Number.isInteger(wait) && wait >= 24_000 && wait <= 36_000));
  t.ok(new Set(waits).size > 500, 'and not always the same');
});
