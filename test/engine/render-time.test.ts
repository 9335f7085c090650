import { test } from 'tap';
import { renderInTime } from '../../src/engine/profile/chat.js';
import { RENDER_MS_MAX, RENDER_TRIES_MAX } from '../../src/engine/profile/profile-types.js';

/** Code that takes too long in its first `slow` runs, as on a host that is stalled; counts the runs. */
function slowRuns(slow: number) {
  const counts = { runs: 0 };
  const run = () => {
    counts.runs += 1;
    for (const end = performance.now() + 2 * RENDER_MS_MAX; counts.runs <= slow && performance.now() < end; );
    return counts.runs;
  };
  return { counts, run };
}

test('a template that takes too long is tried again, as often as documented', async (t) => {
  t.equal(renderInTime(slowRuns(RENDER_TRIES_MAX - 1).run), RENDER_TRIES_MAX);
  const { counts, run } = slowRuns(RENDER_TRIES_MAX);
  t.throws(() => renderInTime(run), { message: `it takes more than ${RENDER_MS_MAX} ms` });
  t.equal(counts.runs, RENDER_TRIES_MAX);
});

test('other errors of a template are not tried again', async (t) => {
  let runs = 0;
  const run = () => {
    runs += 1;
    throw new Error('wrong');
  };
  t.throws(() => renderInTime(run), { message: 'wrong' });
  t.equal(runs, 1);
});
