import { test } from 'tap';
import { killAgainAndAgain } from '../support/faults/kill.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const KILLS = scaled({ short: 1, long: 4 }, 'KILLS');

test(`${KILLS} kills under load: nothing is charged twice, and nothing old is lost (uws)`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  await killAgainAndAgain(t, 'uws', KILLS, random(seed));
});
