import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';

const DAY_MS = 24 * 3_600_000;
/** Node's own bound of a timer: one that is to wait longer fires after a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Node's timers, of which the test lets the next one fire; returns how long that waited. */
function stubTimers(t: Test): { fire(): number; readonly armed: number } {
  const { setTimeout: own, clearTimeout: clear } = globalThis;
  const timers = new Map<object, { ms: number; callback: () => void }>();
  const stub = (callback: () => void, ms: number) => {
    const timer = { unref: () => timer };
    timers.set(timer, { ms: ms > TIMER_MS_MAX ? 1 : ms, callback });
    return timer;
  };
  Object.assign(globalThis, { setTimeout: stub, clearTimeout: (timer: object) => void timers.delete(timer) });
  t.teardown(() => Object.assign(globalThis, { setTimeout: own, clearTimeout: clear }));
  return {
    fire() {
      const [timer, { ms, callback }] = [...timers][0] as [object, { ms: number; callback: () => void }];
      timers.delete(timer);
      callback();
      return ms;
    },
    get armed() {
      return timers.size;
    },
  };
}

test('clock glitches: a wait of more than 24.8 days is as long as it says', async (t) => {
  const timers = stubTimers(t);
  for (const ms of [0, 1, TIMER_MS_MAX, TIMER_MS_MAX + 1, 60 * DAY_MS, 3 * TIMER_MS_MAX]) {
    let called = false;
    systemClock.after(ms, () => {
      called = true;
    });
    let waited = 0;
    while (timers.armed > 0) waited += timers.fire();
    t.strictSame([called, waited], [true, ms]);
  }
});

test('clock glitches: a long wait is cancelled in whichever of its parts', async (t) => {
  const timers = stubTimers(t);
  for (const parts of [0, 1, 2]) {
    const cancel = systemClock.after(3 * TIMER_MS_MAX, () => t.fail('it was cancelled'));
    for (let part = 0; part < parts; part += 1) timers.fire();
    t.equal(timers.armed, 1);
    cancel();
    t.equal(timers.armed, 0);
  }
});
