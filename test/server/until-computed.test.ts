import { test } from 'tap';
import { ApiError } from '../../src/api/index.js';
import { NotComputed } from '../../src/engine/index.js';
import { LANELESS_WAIT_MS, untilComputed, waitForLane } from '../../src/server/until-computed.js';
import { fakeClock } from '../support/fake-clock.js';

const REFUSAL = new ApiError('model_unavailable', 'No lane works.');
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a request waits for a lane, and runs alone once a wave with it has failed', async (t) => {
  const clock = fakeClock();
  const ends = [
    new NotComputed(REFUSAL, false),
    new NotComputed(REFUSAL, true),
    new NotComputed(REFUSAL, false),
  ];
  const attempts: boolean[] = [];
  const answer = untilComputed(
    clock,
    async (alone) => {
      attempts.push(alone);
      const end = ends.shift();
      if (end !== undefined) throw end;
      return 'answered';
    },
    () => {},
  );
  for (let made = 1; made <= 3; made += 1) {
    await turn();
    clock.advance(LANELESS_WAIT_MS - 1);
    await turn();
    t.equal(attempts.length, made);
    clock.advance(1);
  }
  t.equal(await answer, 'answered');
  t.strictSame(attempts, [false, false, true, true]);
});

test('any other error ends it', async (t) => {
  const clock = fakeClock();
  await t.rejects(
    untilComputed(
      clock,
      async () => {
        throw REFUSAL;
      },
      () => t.fail('it waits'),
    ),
    REFUSAL,
  );
});

test('one notice says that requests wait, and none waits for a lane that never works again', async (t) => {
  const clock = fakeClock();
  let stuck: string | null = null;
  const notices: string[] = [];
  const beforeWait = waitForLane(
    () => stuck,
    (sentence) => notices.push(sentence),
  );
  const decide = () =>
    untilComputed(clock, () => Promise.reject(new NotComputed(REFUSAL, false)), beforeWait);
  const answers = Promise.allSettled([decide(), decide()]);
  await turn();
  t.match(notices, [/^No engine thread works\. .* requests wait/]);
  stuck = 'tiny-20260101: a wave has not ended within 60 s';
  clock.advance(LANELESS_WAIT_MS);
  const message = `An engine thread will never work again: ${stuck}.`;
  const rejected = { status: 'rejected', reason: { message } };
  t.match(await answers, [rejected, rejected]);
  t.equal(notices.length, 1);
});
