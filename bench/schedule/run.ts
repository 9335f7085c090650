import { random } from '../../src/base/index.js';
import { COUPLED_PRODUCT_MAX, EXACT, type WaveBounds } from '../../src/engine/index.js';
import { simulate, waveTime } from '../../src/tuning/index.js';
import { quantile } from '../report.js';
import { costsOf, type Device, tokensPerSecond } from './devices.js';
import { IMAGES, PlanMaker, type Workload } from './workloads.js';

/** What is varied; a default of the device or of the server for what is absent. */
export interface Variation {
  readonly waveTokens?: number;
  readonly contexts?: number;
  readonly sequences?: number;
  readonly shareBesideLive?: number;
  readonly idleCells?: number;
  readonly exact?: boolean;
}

export interface Row {
  /** Questions answered per second, live and of batches. */
  readonly decisionsPerSecond: number;
  /** Of live requests, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Tokens of a wave, as a part of the most. */
  readonly fill: number;
  /** The part of the prefixes' tokens that was in a cache. */
  readonly hitRate: number;
}

const REQUESTS = 2_000;
const SEED = 1;

/** Simulates a workload on a device. */
export function runWorkload(
  device: Device,
  workload: Workload,
  variation: Variation = {},
  requests: number = REQUESTS,
): Row {
  const waveTokens = variation.waveTokens ?? device.waveTokens;
  const bounds: WaveBounds = {
    cells: 8_192,
    waveTokens,
    microBatchTokens: waveTokens,
    microBatchTokensMin: 0,
    sequences: variation.sequences ?? 64,
  };
  const make = new PlanMaker();
  const costs = costsOf(device);
  // The same load whatever is varied.
  const perSecond = (workload.load * tokensPerSecond(device)) / workload.tokens;
  const arrivals = workload.arrivals(perSecond, requests, make, random(SEED));
  const outcome = simulate(arrivals, {
    bounds,
    sharing: variation.exact
      ? EXACT
      : {
          head: new Int32Array(0),
          idleCellsMax: variation.idleCells ?? 4_096,
          exact: false,
          coupledProductMax: COUPLED_PRODUCT_MAX,
        },
    adapts: variation.idleCells === undefined,
    devices: 1,
    contexts: variation.contexts ?? device.contexts,
    images: IMAGES,
    timeOf: (wave) => waveTime(costs, bounds, wave),
    ...(variation.shareBesideLive !== undefined && { shareBesideLive: variation.shareBesideLive }),
    ...(workload.batch && { batch: workload.batch(make), until: arrivals.at(-1)?.at ?? 0 }),
  });
  const { latencies, questions, ms, tokens, waves, hitRate } = outcome;
  return {
    decisionsPerSecond: ((questions.live + questions.batch) / ms) * 1_000,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    fill: tokens / waves / waveTokens,
    hitRate,
  };
}
