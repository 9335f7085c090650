import { test } from 'tap';
import { runSchedules } from '../support/engine/schedules.js';
import { scaled } from '../support/scale.js';

// Two files, which run concurrently.
test('property: random schedules, every plan once, to the right prompt, within the bounds', async (t) => {
  runSchedules(t, scaled({ short: 3_000, long: 10_000 }));
});
