import { test } from 'tap';
import {
  type LoadDependencies,
  OUTSTANDING_MAX,
  readTarget,
  runRates,
  runSearch,
  type Send,
  type StepResult,
} from '../../src/load/index.js';
import { numbered, Simulation } from './simulation.js';

const PLAN = { seed: 1, warmUpSeconds: 2, seconds: 10, connections: OUTSTANDING_MAX, timeoutMs: 30_000 };
const IDLE = { busy: 0.1, cores: 0.1, loop_delay_p99_ms: 0 };

function dependencies(
  simulation: Simulation,
  send: Send,
  own: Partial<LoadDependencies> = {},
): LoadDependencies {
  return {
    clock: simulation.clock,
    requests: numbered(),
    send,
    stop: new AbortController().signal,
    watchClient: () => () => IDLE,
    onStart: () => {},
    onEnd: () => {},
    ...own,
  };
}

test('rates are measured in their order', async (t) => {
  const simulation = new Simulation();
  const ended: StepResult[] = [];
  const started: number[] = [];
  const own = {
    onStart: (rate: number) => void started.push(rate),
    onEnd: (result: StepResult) => void ended.push(result),
  };
  const send = simulation.queue(() => 20);
  const steps = await simulation.until(runRates([10, 40, 80], PLAN, dependencies(simulation, send, own)));
  t.strictSame(started, [10, 40, 80]);
  t.strictSame(ended, steps);
  for (const { ended, seconds, failed, warnings } of steps) {
    t.match({ ended, seconds, failed }, { ended: 'complete', seconds: 10, failed: 0 });
    t.strictSame(warnings, []);
  }
  const [low, , over] = steps as [StepResult, StepResult, StepResult];
  t.ok(Math.abs(low.decisions_per_second / low.answered_per_second - 2) < 1e-6);
  t.ok(Math.abs(low.input_tokens_per_second / low.answered_per_second - 100) < 1e-6);
  t.ok(Math.abs(over.answered_per_second - 50) <= 0.2, 'an overloaded server answers at its capacity');
  t.ok((over.latency_ms.p99 as number) > 3_000);
});

test('--find converges on the capacity of a queue', async (t) => {
  // M/D/1: with a service time of 40 ms, 5 % of the latencies exceed 250 ms at 18.8 requests/s.
  for (const first of [2, 15, 150]) {
    const simulation = new Simulation();
    const { found, steps } = await simulation.until(
      runSearch(
        readTarget('p95=250ms', 30_000),
        first,
        PLAN,
        dependencies(
          simulation,
          simulation.queue(() => 40),
        ),
      ),
    );
    t.equal(found.ended, 'precision');
    t.ok(Math.abs((found.rate as number) - 18.8) < 0.15 * 18.8, `found ${found.rate} from ${first}`);
    for (const { rate, seconds, ended } of steps) {
      if (ended === 'complete') t.ok(seconds >= 25 && rate * seconds > 399, `${rate} for ${seconds} s`);
      t.equal(ended === 'complete', rate <= (found.rate as number), `${rate}: ${ended}`);
    }
  }
});

test('--minutes: no step begins that would end later, and one that waits is cut off', async (t) => {
  const target = readTarget('p95=250ms', 30_000);
  // A step at 15 requests/s lasts 26.7 s and 2 s of warm-up, one at 30 requests/s 25 s and 2 s.
  for (const [seconds, count] of [
    [28, 0],
    [29, 1],
    [55, 1],
    [56, 2],
  ] as const) {
    const simulation = new Simulation();
    const { found, steps } = await simulation.until(
      runSearch(
        target,
        15,
        PLAN,
        dependencies(
          simulation,
          simulation.queue(() => 1),
        ),
        seconds * 1_000,
      ),
    );
    t.match(found, { steps: count, ended: 'time' }, `${seconds} s`);
    t.equal(steps.length, count);
    t.equal(found.rate, [null, 15, 30][count]);
    t.ok(simulation.clock.monotonic() <= seconds * 1_000);
  }
  const simulation = new Simulation();
  const never: Send = (_, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const { found, steps } = await simulation.until(
    runSearch(target, 15, PLAN, dependencies(simulation, never), 29_000),
  );
  t.match(found, { rate: null, ended: 'time' });
  t.match(steps, [{ ended: 'interrupted', answered: 0 }]);
  t.equal(simulation.clock.monotonic(), 29_000, 'late responses are not waited for');
});

test('a step that misses its target ends early', async (t) => {
  const simulation = new Simulation();
  const send = simulation.queue(() => 1_000);
  const { found, steps } = await simulation.until(
    runSearch(readTarget('p95=900ms', 30_000), 1, PLAN, dependencies(simulation, send)),
  );
  t.match(found, { rate: null, ended: 'none_passes' });
  for (const { answered, ended, rate, seconds } of steps) {
    t.equal(ended, 'missed_target');
    t.ok(answered < 100, `${answered} requests`);
    t.ok(seconds < 400 / rate, `${seconds} s`);
  }
});

test('failures miss the target however fast they are', async (t) => {
  const simulation = new Simulation();
  const send: Send = async () => ({ answered: false, status: 503, type: 'overloaded' });
  const { found } = await simulation.until(
    runSearch(readTarget('p95=900ms', 30_000), 10, PLAN, dependencies(simulation, send)),
  );
  t.equal(found.rate, null);
});

test('an interrupted run keeps what it measured', async (t) => {
  const simulation = new Simulation();
  const stop = new AbortController();
  const running = runRates(
    [10, 20, 40],
    PLAN,
    dependencies(
      simulation,
      simulation.queue(() => 10),
      { stop: stop.signal },
    ),
  );
  await simulation.until(simulation.wait(20_000));
  stop.abort();
  const steps = await simulation.until(running);
  t.strictSame(
    steps.map(({ rate, ended }) => [rate, ended]),
    [
      [10, 'complete'],
      [20, 'interrupted'],
    ],
  );
  const last = steps[1] as StepResult;
  t.ok(last.answered > 50 && last.failed === 0);
  t.ok(last.seconds < 10 && Math.abs(last.answered_per_second - 20) < 5);
});

test('a client that limits the load is named', async (t) => {
  const simulation = new Simulation();
  const slowClient = { busy: 0.95, cores: 1, loop_delay_p99_ms: 60 };
  const plan = { ...PLAN, connections: 1 };
  const own = { watchClient: () => () => slowClient };
  const [step] = await simulation.until(
    runRates(
      [80],
      plan,
      dependencies(
        simulation,
        simulation.queue(() => 10),
        own,
      ),
    ),
  );
  const warnings = (step as StepResult).warnings.join('\n');
  t.match(warnings, /client was busy 95 % of the time/);
  t.match(warnings, /late by 60\.0 ms \(p99\)/);
  t.match(warnings, /\d\d % of the requests waited for one of 1 connections/);
});

test('late dispatch is measured and named', async (t) => {
  const simulation = new Simulation();
  // A clock whose timers fire 30 ms late.
  const clock = {
    ...simulation.clock,
    after: (ms: number, callback: () => void) => simulation.clock.after(ms + 30, callback),
  };
  const send: Send = async () => ({ answered: true, decisions: 1, inputTokens: 1 });
  const [step] = await simulation.until(runRates([5], PLAN, dependencies(simulation, send, { clock })));
  const { client, warnings, latency_ms } = step as StepResult;
  t.ok((client.dispatch_delay_ms.p50 as number) > 25);
  t.ok((latency_ms.p50 as number) > 25, 'latency counts from the intended start');
  t.match(warnings.join('\n'), /late by/);
});
