import { test } from 'tap';
import { DEVICES } from '../../bench/schedule/devices.js';
import { runWorkload } from '../../bench/schedule/run.js';
import { PlanMaker, WORKLOADS } from '../../bench/schedule/workloads.js';
import { type Arrival, type Simulation, simulate } from '../../src/tuning/index.js';
import { COLD } from '../support/engine.js';

const BOUNDS = {
  cells: 8_192,
  waveTokens: 100,
  microBatchTokens: 100,
  microBatchTokensMin: 0,
  sequences: 64,
};
const make = new PlanMaker();

/** A live request of one question, with so many tokens in all. */
const request = (at: number, tokens: number): Arrival => ({
  at,
  plan: make.plan(make.state(), tokens - 10, 1, 10),
  urgency: 'live',
});

/** One millisecond per token. */
const byTokens: Simulation = {
  bounds: BOUNDS,
  sharing: COLD,
  devices: 1,
  contexts: 1,
  timeOf: ({ cost }) => ({ host: 0, device: cost }),
};

test('one context, a cost of tokens only: as calculated by hand', async (t) => {
  const outcome = simulate(
    [
      // A wave from 0 to 60. The next two wait for it and share the one from 60 to 150.
      request(0, 60),
      request(10, 50),
      request(20, 40),
      // Its first 100 tokens from 200 to 300; the other 50 with the next request from 300 to 390.
      request(200, 150),
      request(250, 40),
    ],
    byTokens,
  );
  t.strictSame(outcome.latencies, [60, 140, 130, 140, 190]);
  t.strictSame([outcome.waves, outcome.tokens, outcome.ms], [4, 340, 390]);
});

test('one state: the second request finds it, and the rate of hits says so', async (t) => {
  const state = make.state();
  const on = (at: number): Arrival => ({ at, plan: make.plan(state, 80, 1, 20), urgency: 'live' });
  const outcome = simulate([on(0), on(500)], { ...byTokens, sharing: { ...COLD, idleCellsMax: 1_000 } });
  t.strictSame(outcome.latencies, [100, 20]);
  t.equal(outcome.hitRate, 0.5);
});

test('two contexts share a device, and the host part of one runs beside the other', async (t) => {
  const both = { ...byTokens, contexts: 2 };
  t.strictSame(simulate([request(0, 100), request(0, 100)], both).latencies, [200, 200]);
  t.strictSame(simulate([request(0, 100), request(50, 100)], both).latencies, [150, 150]);
  const timeOf: Simulation['timeOf'] = ({ cost }) => ({ host: 30, device: cost });
  t.strictSame(simulate([request(0, 100), request(100, 100)], { ...byTokens, timeOf }).latencies, [130, 160]);
  // Until 130 the second prepares, and then computes alone.
  t.strictSame(simulate([request(0, 100), request(100, 100)], { ...both, timeOf }).latencies, [130, 130]);
});

test('batches fill what live requests leave, until the end of the simulation', async (t) => {
  function* lines() {
    for (;;) yield make.plan(make.state(), 40, 1, 10);
  }
  const outcome = simulate([request(0, 50)], { ...byTokens, batch: lines(), until: 1_000 });
  t.equal(outcome.answered.live, 1);
  t.ok(outcome.answered.batch >= 15, `${outcome.answered.batch} lines`);
});

test('every workload on every device: all figures are numbers, in the order of their ranks', async (t) => {
  for (const device of Object.values(DEVICES)) {
    for (const [name, workload] of Object.entries(WORKLOADS)) {
      const { decisionsPerSecond, p50, p95, p99, fill, hitRate } = runWorkload(device, workload, {}, 100);
      const inOrder = p50 > 0 && p50 <= p95 && p95 <= p99;
      const inRange = decisionsPerSecond > 0 && fill > 0 && fill <= 1 && hitRate >= 0 && hitRate <= 1;
      t.ok(inOrder && inRange, `${device.title}, ${name}: ${[p50, p95, p99, fill, hitRate]}`);
    }
  }
});
