import type { CatalogBuild, Machine, WaveBounds } from '../../engine/index.js';
import type { DeviceAnswers } from '../numerics/measure-answers.js';
import type { ProbePlace } from '../probe.js';
import type { Speed } from '../speed/measure-speed.js';

// Messages between `decider tune` and the process in which it measures a backend.

/** Which backend computes, and how. */
export interface ProbeSetup extends ProbePlace {
  readonly backend: Machine['backends'][number];
  readonly build: CatalogBuild;
}

/** What a process measures. */
export type ProbeWork =
  /** The answers of the CPU to as many of the fixed prompts as take `ms`. `prompts`: the bounds they are made for. */
  | { readonly kind: 'reference'; readonly prompts: WaveBounds; readonly count: number; readonly ms: number }
  /** The answers of the device to the first `count` of them. */
  | { readonly kind: 'answers'; readonly count: number }
  /** Decodes and waves, about `ms` long. */
  | { readonly kind: 'speed'; readonly ms: number };

/** The input: JSON on standard input. */
export interface ProbeTask extends ProbeSetup {
  readonly work: ProbeWork;
}

/** What each kind of work returns. */
export interface ProbeResults {
  readonly reference: DeviceAnswers['alone'];
  readonly answers: DeviceAnswers;
  readonly speed: Speed;
}
