import type { Measurer } from './measurer.js';
import { judgeNumerics, type NumericsReport } from './numerics/judge-answers.js';
import { ProbeError } from './process/probe-backend.js';

/** The result of `decider tune`. */
export interface TuneReport {
  /** The comparison with the CPU; null if the device gave no answers. */
  readonly numerics: NumericsReport | null;
  /** Why nothing is recommended; empty if something is. */
  readonly refusals: readonly string[];
}

interface TunePlan {
  /** Time of all measurements together, in milliseconds. It is exceeded if the least that is needed takes longer. */
  readonly ms: number;
}

/** The part of the time that the CPU's answers may take. */
const REFERENCE_PART = 0.3;

/**
 * Measures a device with a model. First it compares the answers of the device with those of the CPU, and ends if they are
 * wrong. Rejects with the measurer's errors, except where the device fails: then the report says why.
 *
 * @param onStep called with what is done next
 */
export async function tune(
  { ms }: TunePlan,
  measurer: Measurer,
  onStep: (text: string) => void,
): Promise<TuneReport> {
  onStep('answers of the CPU');
  const reference = await measurer.reference(ms * REFERENCE_PART);
  onStep(`answers of the device to the same ${reference.length} prompts`);
  try {
    const numerics = judgeNumerics(reference, await measurer.answers(reference.length));
    return { numerics, refusals: numerics.refusals };
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error;
    return { numerics: null, refusals: [`it gave no answers: ${error.message}`] };
  }
}
