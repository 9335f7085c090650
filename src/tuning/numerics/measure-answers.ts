import type { Clock } from '../../base/index.js';
import type { Plan, PlanLogits } from '../../engine/index.js';
import type { Probe } from '../probe.js';
import { fixedPlans } from './fixed-prompts.js';

/** The logits of the options, by prompt and question. */
export type Answers = readonly PlanLogits[];

/** What a device answers to the fixed prompts. */
export interface DeviceAnswers {
  /** Each prompt without others. */
  readonly alone: Answers;
  /** Each prompt in waves with seven others. */
  readonly together: Answers;
  /** One prompt, again and again: without others, and each time with seven other ones. */
  readonly repeated: { readonly alone: Answers; readonly together: Answers };
}

/** Prompts that share waves. */
const COMPANY = 8;
/** Times that one prompt is repeated. */
export const REPEATS = 20;
/** The prompt that is repeated: it has two questions. */
const REPEATED = 1;

/**
 * Answers plans in order, each alone, until `ms` milliseconds are over, but at least `least` of them. Throws the addon's
 * error.
 */
export function measureReference(
  probe: Probe,
  plans: readonly Plan[],
  { least, ms, clock }: { readonly least: number; readonly ms: number; readonly clock: Clock },
): Answers {
  const end = clock.monotonic() + ms;
  const answers: PlanLogits[] = [];
  for (const plan of plans) {
    if (answers.length >= least && clock.monotonic() >= end) break;
    answers.push(probe.alone(plan));
  }
  return answers;
}

/**
 * Answers the first `count` of the fixed prompts on a device, alone and in company, and one of them repeatedly. Throws the
 * addon's error.
 */
export function measureDevice(probe: Probe, count: number, repeats = REPEATS): DeviceAnswers {
  const plans = fixedPlans(probe.model, probe.bounds, count);
  const together: PlanLogits[] = [];
  for (let start = 0; start < plans.length; start += COMPANY) {
    together.push(...probe.together(plans.slice(start, start + COMPANY)));
  }
  const repeated = plans[Math.min(REPEATED, plans.length - 1)] as Plan;
  const others = plans.filter((plan) => plan !== repeated);
  const times = Array.from({ length: repeats }, (_, time) => time);
  return {
    alone: plans.map((plan) => probe.alone(plan)),
    together,
    repeated: {
      alone: times.map(() => probe.alone(repeated)),
      together: times.map((time) => {
        const company = Array.from({ length: Math.min(COMPANY - 1, others.length) }, (_, at) => {
          return others[(time * (COMPANY - 1) + at) % others.length] as Plan;
        });
        return probe.together([repeated, ...company])[0] as PlanLogits;
      }),
    },
  };
}
