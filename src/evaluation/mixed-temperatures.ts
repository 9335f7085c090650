import type { Case } from './cases/case.js';
import type { Outcomes } from './outcomes.js';

/**
 * Sentences about builds that answered questions of one type and number of options with different temperatures, in any
 * variant: the manifest was changed before the archive was continued, which earlier versions of this program allowed.
 */
export function mixedTemperatures(cases: readonly Case[], outcomes: Outcomes): string[] {
  const mixed = new Map<string, string[]>();
  for (const { build, questions, temperatures } of temperaturesIn(cases, outcomes).values()) {
    if (temperatures.size < 2) continue;
    const values = [...temperatures].sort((a, b) => a - b).join(' and ');
    mixed.set(build, [...(mixed.get(build) ?? []), `${questions} with ${values}`]);
  }
  return [...mixed].map(
    ([build, found]) =>
      `${build} answered with different temperatures, because the manifest was changed meanwhile: ${found.join('; ')}. To measure it with one of them, name another --archive.`,
  );
}

interface Answered {
  readonly build: string;
  /** Their type and number of options. */
  readonly questions: string;
  readonly temperatures: Set<number>;
}

/** By build, type and number of options. */
function temperaturesIn(cases: readonly Case[], outcomes: Outcomes): Map<string, Answered> {
  const found = new Map<string, Answered>();
  for (const { id, answers } of cases) {
    for (const variant of outcomes.variants(id)) {
      const outcome = outcomes.of(id, variant);
      if (outcome === undefined || 'error' in outcome || outcome.temperatures === undefined) continue;
      const build = String(Object(outcome.response).model);
      for (const { question, type, options } of answers) {
        // `__proto__` is a valid name of a question.
        if (!Object.hasOwn(outcome.temperatures, question)) continue;
        const questions = `${type} of ${options.length} options`;
        const key = `${build} ${questions}`;
        const own = found.get(key) ?? { build, questions, temperatures: new Set() };
        own.temperatures.add(outcome.temperatures[question] as number);
        found.set(key, own);
      }
    }
  }
  return found;
}
