import { test } from 'tap';
import { random } from '../../src/base/index.js';
import { OUTSTANDING_MAX, poissonArrivals, type Send, Step } from '../../src/load/index.js';
import { scaled } from '../support/scale.js';
import { ANSWERED, numbered, Simulation } from './simulation.js';

const SEED = 1;
const never = new AbortController().signal;

/** Runs a step in simulated time. */
function start(
  simulation: Simulation,
  send: Send,
  plan: { rate: number; seconds: number } & Partial<ConstructorParameters<typeof Step>[0]>,
  stop = never,
): Step {
  const { rate, seconds, warmUpSeconds = 0 } = plan;
  const arrivals = poissonArrivals(rate, warmUpSeconds + seconds, random(SEED));
  return new Step(
    { arrivals, warmUpSeconds, connections: OUTSTANDING_MAX, timeoutMs: 60_000, ...plan },
    { clock: simulation.clock, requests: numbered(), send, stop },
  );
}

async function run(...[simulation, ...rest]: Parameters<typeof start>) {
  const step = start(simulation, ...rest);
  await simulation.until(step.finished);
  return step.recorder;
}

const within = (value: number | null, expected: number, part = 0.05) =>
  value !== null && Math.abs(value - expected) <= part * expected;

test('queueing theory: mean latency of M/D/1', async (t) => {
  const serviceMs = 10;
  for (const load of [0.3, 0.8]) {
    const simulation = new Simulation();
    const rate = (load / serviceMs) * 1_000;
    const seconds = scaled({ short: 200, long: 1_500 });
    const { latencies } = await run(
      simulation,
      simulation.queue(() => serviceMs),
      { rate, seconds },
    );
    // Pollaczek–Khinchine: mean wait = load / (2 (1 − load)) · service time.
    const expected = serviceMs * (1 + load / (2 * (1 - load)));
    const { mean } = latencies.summary();
    t.ok(within(mean, expected), `load ${load}: ${mean} ms, expected ${expected} ms`);
  }
});

test('queueing theory: percentiles of M/M/1', async (t) => {
  const simulation = new Simulation();
  const { number } = random(SEED + 1);
  const serviceMs = 10;
  const rate = 50;
  const send = simulation.queue(() => -Math.log(1 - number()) * serviceMs);
  const { latencies } = await run(simulation, send, { rate, seconds: scaled({ short: 400, long: 1_500 }) });
  // The latency is exponential with rate 1 / service time − arrival rate.
  const mean = 1 / (1 / serviceMs - rate / 1_000);
  const summary = latencies.summary();
  t.ok(within(summary.mean, mean), `mean ${summary.mean}, expected ${mean}`);
  for (const [name, percent] of [
    ['p50', 50],
    ['p90', 90],
    ['p95', 95],
    ['p99', 99],
  ] as const) {
    const expected = -Math.log(1 - percent / 100) * mean;
    t.ok(within(summary[name], expected), `${name} ${summary[name]}, expected ${expected}`);
  }
});

test('a server that pauses for one second shows it in p99', async (t) => {
  const simulation = new Simulation();
  const pause = { from: 10_000, to: 11_000 };
  const send: Send = async () => {
    const now = simulation.clock.monotonic();
    if (now >= pause.from && now < pause.to) await simulation.wait(pause.to - now);
    await simulation.wait(5);
    return ANSWERED;
  };
  const { latencies } = await run(simulation, send, { rate: 100, seconds: 20 });
  const { p50, p99, max } = latencies.summary();
  // 5 % of the requests arrive during the pause; their latencies are uniform from 0 to 1 s, so p99 is about 0.8 s.
  t.ok(within(p50, 5), `p50 ${p50}`);
  t.ok(within(p99, 800, 0.1), `p99 ${p99}`);
  t.ok(within(max, 1_005), `max ${max}`);
});

test('dispatch never waits for responses', async (t) => {
  const simulation = new Simulation();
  const arrivals = poissonArrivals(200, 10, random(SEED));
  const dispatched: number[] = [];
  const unanswered: Send = (_, signal) => {
    dispatched.push(simulation.clock.monotonic());
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const { failed, latencies } = await run(simulation, unanswered, { rate: 200, seconds: 10 });
  t.equal(dispatched.length, arrivals.length);
  t.ok(dispatched.every((at, index) => Math.abs(at - (arrivals[index] as number)) < 1e-6));
  t.equal(failed, arrivals.length, 'all timed out');
  t.ok(within(latencies.percentile(50), 60_000, 0.01), 'and count with the time until then');
});

test('a request that waits for a connection counts from its arrival', async (t) => {
  const simulation = new Simulation();
  const send: Send = async () => {
    await simulation.wait(1_000);
    return ANSWERED;
  };
  const plan = { arrivals: [0, 100, 200], rate: 1, seconds: 1, connections: 1 };
  const { latencies, waited, answered } = await run(simulation, send, plan);
  t.equal(answered, 3);
  t.equal(waited, 2);
  t.equal(simulation.pending, 0, 'no timer is left');
  t.ok(within(latencies.summary().max, 2_800, 0.01));
});

test('a request that times out while it waits for a connection is not sent', async (t) => {
  const simulation = new Simulation();
  let sent = 0;
  const send: Send = async () => {
    sent += 1;
    await simulation.wait(1_000);
    return ANSWERED;
  };
  const plan = { arrivals: [0, 100, 200], rate: 1, seconds: 1, connections: 1, timeoutMs: 1_500 };
  const recorder = await run(simulation, send, plan);
  t.equal(sent, 2);
  t.strictSame(recorder.errors(), [{ status: null, type: 'timeout', count: 1 }]);
});

test('outstanding requests are bounded', async (t) => {
  const simulation = new Simulation();
  const arrivals = Array.from({ length: OUTSTANDING_MAX + 1 }, () => 0);
  const send: Send = async () => {
    await simulation.wait(10);
    return ANSWERED;
  };
  const recorder = await run(simulation, send, { arrivals, rate: 1, seconds: 1 });
  t.equal(recorder.answered, OUTSTANDING_MAX);
  t.strictSame(recorder.errors(), [{ status: null, type: 'not_sent', count: 1 }]);
});

test('requests of the warm-up are sent but not recorded', async (t) => {
  const simulation = new Simulation();
  let sent = 0;
  const send: Send = async () => {
    sent += 1;
    return ANSWERED;
  };
  const plan = { arrivals: [0, 999, 1_000, 1_999], rate: 1, seconds: 1, warmUpSeconds: 1 };
  const recorder = await run(simulation, send, plan);
  t.equal(sent, 4);
  t.equal(recorder.answered, 2);
  t.strictSame(recorder.completed, { requests: 2, decisions: 4, inputTokens: 200 });
});

test('responses count in the window in which they arrive', async (t) => {
  const simulation = new Simulation();
  // At three times its capacity, the server completes as many as its capacity allows.
  const { completed } = await run(
    simulation,
    simulation.queue(() => 100),
    {
      rate: 30,
      seconds: 20,
      warmUpSeconds: 2,
    },
  );
  t.equal(completed.requests, 200);
});

test('a stopped step ends at once and does not record what was outstanding', async (t) => {
  const simulation = new Simulation();
  const stop = new AbortController();
  let cancelled = 0;
  const send: Send = async (_, signal) => {
    signal.addEventListener('abort', () => {
      cancelled += 1;
    });
    await simulation.wait(700);
    return ANSWERED;
  };
  const plan = { arrivals: [0, 500, 5_000], rate: 1, seconds: 10 };
  const step = start(simulation, send, plan, stop.signal);
  await simulation.until(simulation.wait(1_000));
  stop.abort();
  await simulation.until(step.finished);
  t.equal(step.recorder.answered, 1);
  t.equal(step.recorder.failed, 0);
  t.equal(cancelled, 1);
  t.ok(step.elapsed < 1_300);
});

test('a step ends when its target is out of reach', async (t) => {
  const simulation = new Simulation();
  const send: Send = async () => {
    await simulation.wait(100);
    return ANSWERED;
  };
  const arrivals = Array.from({ length: 100 }, (_, at) => at * 1_000);
  const plan = { arrivals, rate: 1, seconds: 100 };
  const slow = start(simulation, send, { ...plan, target: { ms: 99, share: 0.95 } });
  await simulation.until(slow.finished);
  t.ok(slow.missedTarget);
  t.equal(slow.recorder.missed, 6, 'one more than five percent');
  const fast = start(new Simulation(), async () => ANSWERED, { ...plan, target: { ms: 99, share: 0.95 } });
  t.notOk(fast.missedTarget);
});

test('a step meets its target if exactly as many requests miss it as may', async (t) => {
  for (const percent of [50, 66.7, 90, 93, 95, 99, 99.9]) {
    const target = { ms: 99, share: percent / 100 };
    const mayMiss = Math.round(1_000 - 10 * percent);
    for (const misses of [mayMiss, mayMiss + 1]) {
      const arrivals = Array.from({ length: 1_000 }, () => 0);
      let sent = 0;
      const send: Send = async () => {
        sent += 1;
        return sent > misses ? ANSWERED : { answered: false, status: 503, type: 'overloaded' };
      };
      const step = start(new Simulation(), send, { arrivals, rate: 1, seconds: 1, target });
      await step.finished;
      t.equal(step.missedTarget, misses > mayMiss, `p${percent}, ${misses} of 1,000`);
    }
  }
});
