import { test } from 'tap';
import { FOLLOWED_MS, JUMP_LASTS_MS, STOPPED_MS_MAX, SteadyClock } from '../../src/base/index.js';
import { fakeClock } from '../support/fake-clock.js';

const START = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 24 * 3_600_000;
const AWAY_MS = 2 * DAY_MS;

/** A calendar over a system's clock that the test moves. `lastCertain`: what the last process has kept. */
function started(lastCertain: number | null = null) {
  const system = fakeClock(START);
  const jumps: number[] = [];
  const clock = new SteadyClock(system, lastCertain, (ms) => jumps.push(ms));
  /** The system's clock is set; the calendar sees it. */
  const jump = (ms: number) => {
    system.set(system.now() + ms);
    clock.now();
  };
  const pass = (ms: number) => {
    system.advance(ms);
    clock.now();
  };
  /** How far the calendar is from the time that has really passed. */
  const off = () => clock.now() - START - system.monotonic();
  return { system, clock, jumps, jump, pass, off, first: off() };
}

type World = ReturnType<typeof started>;

/** The states of a calendar: how it comes into each, how far off it is then, and whether it is certain. */
const STATES = {
  certain: { enter: () => started(), off: 0, certain: Infinity, seen: null },
  jumped: {
    enter: () => {
      const world = started();
      world.jump(AWAY_MS);
      return world;
    },
    off: 0,
    certain: 0,
    seen: AWAY_MS,
  },
  believed: {
    enter: () => {
      const world = started();
      world.jump(AWAY_MS);
      world.pass(JUMP_LASTS_MS);
      return world;
    },
    off: AWAY_MS,
    certain: 0,
    seen: null,
  },
  doubtful: { enter: () => started(START - DAY_MS), off: 0, certain: 0, seen: null },
  'ahead of the clock since its start': {
    enter: () => started(START + AWAY_MS),
    off: AWAY_MS,
    certain: 0,
    seen: -AWAY_MS,
  },
} as const;

/** What happens to it: how far off it is behind that, and for how long it has been certain. */
type Event = (world: World, state: (typeof STATES)[keyof typeof STATES]) => [off: number, certain: number];

const later = (certain: number, ms: number) => certain + ms;

const EVENTS: Record<string, Event> = {
  'a minute passes': (world, { off, certain, seen }) => {
    world.pass(60_000);
    return [off, seen === null ? later(certain, 60_000) : 0];
  },
  'NTP moves it by as much as is followed': (world, { off, certain, seen }) => {
    world.jump(FOLLOWED_MS);
    // A jump that is not believed moves along, and the calendar does not.
    return seen === null ? [off + FOLLOWED_MS, certain] : [off, 0];
  },
  'it is moved by a millisecond more': (world, { off }) => {
    world.jump(FOLLOWED_MS + 1);
    return [off, 0];
  },
  'it jumps back by 40 days': (world, { off }) => {
    world.jump(-40 * DAY_MS);
    return [off, 0];
  },
  'it jumps by 40 days and returns 1.5 s later': (world, { off, certain, seen }) => {
    world.jump(40 * DAY_MS);
    world.pass(1_500);
    world.jump(-40 * DAY_MS);
    return [off, seen === null ? later(certain, 1_500) : 0];
  },
  'it jumps and stays there for almost long enough': (world, { off }) => {
    world.jump(40 * DAY_MS);
    world.pass(JUMP_LASTS_MS - 1);
    return [off, 0];
  },
  'it jumps and stays there': (world, { off, seen }) => {
    world.jump(40 * DAY_MS);
    world.pass(JUMP_LASTS_MS);
    return [off + (seen ?? 0) + 40 * DAY_MS, 0];
  },
  'it jumps, jumps again, and only both last long enough together': (world, { off }) => {
    world.jump(40 * DAY_MS);
    world.pass(JUMP_LASTS_MS / 2);
    world.jump(DAY_MS);
    world.pass(JUMP_LASTS_MS - 1);
    return [off, 0];
  },
  'it stays, and then longer': (world, { off, certain, seen }) => {
    world.pass(JUMP_LASTS_MS);
    world.pass(60_000);
    return [off + (seen ?? 0), seen === null ? later(certain, JUMP_LASTS_MS + 60_000) : 60_000];
  },
};

for (const [name, state] of Object.entries(STATES)) {
  for (const [event, happen] of Object.entries(EVENTS)) {
    test(`clock glitches: a calendar that is ${name}: ${event}`, async (t) => {
      const world = state.enter();
      t.strictSame([world.off(), world.clock.certainFor()], [state.off, state.certain]);
      const [off, certain] = happen(world, state);
      t.equal(world.off(), off);
      t.equal(world.clock.certainFor(), certain);
      const told = world.jumps.reduce((sum, ms) => sum + ms, 0);
      t.ok(
        Math.abs(told + world.first - off) <= FOLLOWED_MS,
        'listeners receive every jump that the calendar follows',
      );
    });
  }
}

test('clock glitches: a jump that is reversed has no effect, even if the calendar was read in between', async (t) => {
  const { jump, pass, clock, jumps, off } = started();
  jump(AWAY_MS);
  pass(JUMP_LASTS_MS - 1);
  jump(-AWAY_MS);
  t.strictSame([off(), clock.certainFor(), jumps], [0, Number.POSITIVE_INFINITY, []]);
  jump(AWAY_MS);
  pass(JUMP_LASTS_MS - 1);
  t.equal(off(), 0, 'the next one begins anew');
});

test('clock glitches: a suspended machine is caught up with', async (t) => {
  const { jump, pass, jumps, off } = started();
  // While it sleeps the monotonic clock stands still.
  jump(8 * 3_600_000);
  pass(60_000);
  t.equal(off(), 0);
  pass(JUMP_LASTS_MS);
  t.equal(off(), 8 * 3_600_000);
  t.strictSame(jumps, [8 * 3_600_000]);
});

test('clock glitches: a start is uncertain before the last certain time, and long after it', async (t) => {
  for (const [lastCertain, certain, continued] of [
    [null, Number.POSITIVE_INFINITY, 0],
    [START, Number.POSITIVE_INFINITY, 0],
    [START + FOLLOWED_MS, Number.POSITIVE_INFINITY, 0],
    [START + FOLLOWED_MS + 1, 0, FOLLOWED_MS + 1],
    [START - STOPPED_MS_MAX, Number.POSITIVE_INFINITY, 0],
    [START - STOPPED_MS_MAX - 1, 0, 0],
    [0, 0, 0],
  ] as const) {
    const { clock, off } = started(lastCertain);
    t.strictSame([off(), clock.certainFor()], [continued, certain], `${lastCertain}`);
  }
});

test('the calendar shows whole milliseconds, the system’s own while that is near', async (t) => {
  let monotonic = 0.123456;
  const system = { ...fakeClock(START), monotonic: () => monotonic };
  const clock = new SteadyClock(system, null);
  for (let count = 0; count < 1_000; count += 1) {
    monotonic += 0.777;
    t.equal(clock.now(), START);
  }
  t.end();
});

for (const second of [-AWAY_MS, AWAY_MS, 40 * DAY_MS]) {
  for (const after of [0, 1, 60_000, JUMP_LASTS_MS - 1, JUMP_LASTS_MS]) {
    test(`a jump of ${second} ms, ${after} ms after one was followed: keys expire by a time that was certain`, async (t) => {
      const { jump, pass, clock } = started();
      jump(AWAY_MS);
      pass(JUMP_LASTS_MS);
      const before = clock.settled();
      t.equal(before, START + JUMP_LASTS_MS);
      pass(after);
      jump(second);
      const certain = after < JUMP_LASTS_MS ? before : clock.now();
      for (let minute = 0; minute < 10; minute += 1) {
        const settled = clock.settled();
        t.ok(settled >= certain && settled <= certain + JUMP_LASTS_MS, `minute ${minute}`);
        if (after < JUMP_LASTS_MS) t.equal(settled, certain);
        pass(60_000);
      }
      t.equal(clock.settled(), clock.now(), 'both jumps have lasted');
    });
  }
}
