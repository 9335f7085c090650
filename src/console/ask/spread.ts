import type { Answer, DecideResponse } from '../api/api-types.js';

/** How often "ask 20 times" asks, and how many of these requests are in flight together. */
export const SPREAD_ASKS = 20;
export const SPREAD_AT_ONCE = 4;

/** The smallest and the largest of the values that an option was given. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The ranges of one question, by option; of a noul under ''. */
export type Spread = ReadonlyMap<string, Range>;

/** The numbers of an answer that can differ between two responses to one request. */
function numbersOf(answer: Answer): Array<readonly [option: string, value: number]> {
  return answer.type === 'noul' ? [['', answer.noul]] : Object.entries(answer.probabilities);
}

/** The spread of every question over several responses to one request. */
export function spreadOf(responses: readonly Pick<DecideResponse, 'answers'>[]): ReadonlyMap<string, Spread> {
  const all = new Map<string, Map<string, Range>>();
  for (const { answers } of responses) {
    for (const [name, answer] of Object.entries(answers)) {
      const ranges = all.get(name) ?? new Map<string, Range>();
      all.set(name, ranges);
      for (const [option, value] of numbersOf(answer)) {
        const { low, high } = ranges.get(option) ?? { low: value, high: value };
        ranges.set(option, { low: Math.min(low, value), high: Math.max(high, value) });
      }
    }
  }
  return all;
}

/** The largest difference of any option of any question. */
export function widest(spreads: ReadonlyMap<string, Spread>): number {
  const widths = [...spreads.values()].flatMap((each) =>
    [...each.values()].map(({ low, high }) => high - low),
  );
  return Math.max(0, ...widths);
}

/** Runs a task `times` times, some of them together. Rejects with the first error; the rest is not started. */
export async function repeat<Result>(
  times: number,
  together: number,
  task: () => Promise<Result>,
  onDone: (done: number) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  let left = times;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      try {
        results.push(await task());
      } catch (error) {
        left = 0;
        throw error;
      }
      onDone(results.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, times) }, work));
  return results;
}
