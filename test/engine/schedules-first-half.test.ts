import { test } from 'tap';
import { runSchedules } from '../support/engine/schedules.js';

// Two files, which run side by side, of 100,000 schedules in all.
test('property: 50,000 random schedules, every plan once, to the right prompt, within the bounds', async (t) => {
  runSchedules(t, 50_000);
});
