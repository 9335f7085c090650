import { test } from 'tap';
import { killAgainAndAgain } from '../support/faults/kill.js';
import { random, seedFromEnvironment } from '../support/random.js';

/** KILLS=25 for the long run. */
const KILLS = Number(process.env.KILLS ?? 6);

test(`${KILLS} kills under load: nothing is charged twice, and nothing old is lost (node)`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  await killAgainAndAgain(t, 'node', KILLS, random(seed));
});
