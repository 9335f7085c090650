import { deriveSizes, type EmbeddingSizes, type EngineSizes, type Sharing } from '../../engine/index.js';
import { type Costs, waveTime } from '../simulation/cost-model.js';
import type { Simulation } from '../simulation/simulate.js';

/** What the settings are chosen for. */
export type Goal = 'latency' | 'throughput';

/** The settings of an engine that tuning chooses, as the manifest names them. */
export interface EngineChoice {
  readonly wave_tokens: number;
  readonly contexts: number;
  readonly sequences: number;
  /** Per context. */
  readonly threads: number;
  /** Maximum percentage of a wave for batches beside live requests. */
  readonly batch_percent: number;
}

/** What a simulation needs of a model and its device. */
export interface SimulatedMachine {
  /** '' is the CPU. */
  readonly device: string;
  /** Of a context. */
  readonly cells: number;
  readonly sharing: Sharing;
  readonly images: EmbeddingSizes | null;
  /** The constants of contexts with so many threads; absent: not measured. */
  costs(threads: number): Costs | undefined;
}

/** How large the contexts of a choice are. */
export function sizesOf(choice: EngineChoice, cells: number, device: string): EngineSizes {
  const { wave_tokens, contexts, sequences } = choice;
  return deriveSizes({ cells, wave_tokens, contexts, sequences }, device);
}

/** A simulation of an engine with these settings. Throws if its threads were not measured. */
export function simulationOf(choice: EngineChoice, machine: SimulatedMachine): Simulation {
  const { device, cells, sharing, images } = machine;
  const costs = machine.costs(choice.threads);
  if (costs === undefined) throw new Error(`contexts with ${choice.threads} threads were not measured`);
  const { bounds, contexts } = sizesOf(choice, cells, device);
  return {
    bounds,
    sharing,
    devices: 1,
    contexts,
    adapts: true,
    shareBesideLive: choice.batch_percent / 100,
    timeOf: (wave) => waveTime(costs, bounds, wave),
    ...(images && { images }),
  };
}

/** The choices of the simulation, of which some are tried. */
export interface Grid {
  readonly waveTokens: readonly number[];
  readonly contexts: readonly number[];
  readonly sequences: readonly number[];
  readonly threads: readonly number[];
  readonly batchPercent: readonly number[];
}
