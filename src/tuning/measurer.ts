import type { WaveBounds } from '../engine/index.js';
import { PROMPTS } from './numerics/fixed-prompts.js';
import type { Answers, DeviceAnswers } from './numerics/measure-answers.js';
import { probeBackend } from './process/probe-backend.js';
import type { ProbeSetup } from './process/probe-messages.js';
import type { Speed } from './speed/measure-speed.js';

/** What tuning measures of a machine; a parameter, so that tests can replace the machine. */
export interface Measurer {
  /** The answers of the CPU to as many of the fixed prompts as take `ms`. Rejects with ProbeError. */
  reference(ms: number): Promise<Answers>;
  /** The answers of the device to the first `count` of them. Rejects with ProbeError. */
  answers(count: number): Promise<DeviceAnswers>;
  /** Decodes and waves of the device, for about `ms`, in a context with so many threads. Rejects with ProbeError. */
  speed(threads: number, ms: number): Promise<Speed>;
}

/** A process that measures gets this many times its planned time, and a minute to load the model. */
const PATIENCE = 10;
const LOADING_MS = 60_000;
/** Loading reads at least this fast. */
const BYTES_PER_MS = 20_000;

/**
 * Measures in child processes.
 *
 * @param device with the bounds of the server
 * @param largest the bounds of the largest waves that are considered
 * @param cpu where the reference is computed: the CPU backend in bounds of its own
 * @param bytes the size of the model's files
 */
export function processMeasurer(
  device: ProbeSetup,
  largest: WaveBounds,
  cpu: Omit<ProbeSetup, 'bounds'>,
  bytes: number,
  stop?: AbortSignal,
): Measurer {
  const loadingMs = LOADING_MS + bytes / BYTES_PER_MS;
  const { bounds } = device;
  return {
    reference: (ms) =>
      probeBackend(
        { ...cpu, bounds: referenceBounds(bounds) },
        { kind: 'reference', prompts: bounds, count: PROMPTS, ms },
        loadingMs + ms * PATIENCE,
        stop,
      ),
    answers: (count) =>
      probeBackend(device, { kind: 'answers', count }, loadingMs + ANSWERS_MS * PATIENCE, stop),
    speed: (threads, ms) =>
      probeBackend(
        { ...device, bounds: largest, threads },
        { kind: 'speed', ms },
        loadingMs + (ms + SPEED_MS) * PATIENCE,
        stop,
      ),
  };
}

/** What the answers of a device usually take at most, and the least that can be timed of it. */
const ANSWERS_MS = 60_000;
const SPEED_MS = 30_000;

/** One request at a time, whose prompts have at most a wave of the device each. */
function referenceBounds({ waveTokens }: WaveBounds): WaveBounds {
  return {
    cells: waveTokens,
    waveTokens: 512,
    microBatchTokens: 512,
    microBatchTokensMin: 64,
    sequences: 64,
  };
}
