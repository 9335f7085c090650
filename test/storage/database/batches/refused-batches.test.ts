import { test } from 'tap';
import {
  REFUSED_MS,
  REFUSED_MS_MAX,
  RefusedBatches,
} from '../../../../src/storage/database/batches/worker/refused-batches.js';
import { fakeClock } from '../../../support/fake-clock.js';

test('a refused batch rests, and twice as long after every further refusal', async (t) => {
  const clock = fakeClock();
  const refused = new RefusedBatches(clock);
  for (let pause = REFUSED_MS; pause < 4 * REFUSED_MS_MAX; pause *= 2) {
    refused.note(['one']);
    clock.advance(Math.min(pause, REFUSED_MS_MAX) - 1);
    t.strictSame(refused.resting, ['one']);
    clock.advance(1);
    t.strictSame(refused.resting, []);
  }
  clock.advance(REFUSED_MS_MAX);
  t.strictSame(refused.resting, []);
  refused.note(['one', 'two']);
  clock.advance(REFUSED_MS);
  t.strictSame(refused.resting, [], 'one that was claimed for so long starts anew');
});
