import type { Clock } from '../../base/index.js';
import type { Probe } from '../probe.js';
import { typicalPlans } from '../typical-plans.js';
import { decodeCases, type TimedDecode, timeDecodes } from './time-decodes.js';
import { type TimedWaves, timeWaves } from './time-waves.js';

/** What decodes and waves take, as measured. */
export interface Speed {
  readonly decodes: readonly TimedDecode[];
  readonly waves: readonly TimedWaves[];
}

const SEED = 1;
const PLANS = 16;

/** Times decodes for about `ms` milliseconds, and the host's part of a few waves. Throws the addon's error. */
export function measureSpeed(probe: Probe, ms: number, clock: Clock): Speed {
  const { bounds, context, model } = probe;
  const decodes = timeDecodes(context, decodeCases(bounds), { step: bounds.microBatchTokens, ms, clock });
  const plans = typicalPlans(model, bounds.cells, { seed: SEED, shape: 'short', count: PLANS });
  return { decodes, waves: timeWaves(probe, plans, clock) };
}
