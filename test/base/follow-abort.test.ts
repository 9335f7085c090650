import { getEventListeners } from 'node:events';
import { test } from 'tap';
import { followAbort } from '../../src/base/index.js';

test('a controller follows a signal until it is told not to, and leaves nothing on it', async (t) => {
  const outer = new AbortController();
  const [first, second] = [new AbortController(), new AbortController()];
  const ends = [followAbort(outer.signal, first), followAbort(outer.signal, second)];
  ends[0]?.();
  t.equal(getEventListeners(outer.signal, 'abort').length, 1);
  outer.abort(new Error('why'));
  t.equal(first.signal.aborted, false);
  t.match(second.signal, { aborted: true, reason: { message: 'why' } });
  ends[1]?.();
  const late = new AbortController();
  followAbort(outer.signal, late);
  t.match(late.signal, { aborted: true, reason: { message: 'why' } });
  t.equal(getEventListeners(outer.signal, 'abort').length, 0);
});
