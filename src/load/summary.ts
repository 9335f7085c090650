import type { LoadResult, StepResult } from './result.js';

/** Three significant digits below 100; `–` for null. */
export function showMs(value: number | null): string {
  if (value === null) return '–';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

export const showRate = (rate: number): string => String(Number(rate.toPrecision(3)));

/** Steps by ascending rate. */
export const byRate = ({ steps }: LoadResult): StepResult[] =>
  [...steps].sort((one, other) => one.rate - other.rate);

/**
 * The step whose latencies represent the run: of the rate that was found, or else of the highest complete rate, or else
 * of the lowest rate.
 */
export function mainStep(result: LoadResult): StepResult | undefined {
  const steps = byRate(result);
  const complete = steps.filter(({ ended }) => ended === 'complete');
  return complete.findLast(({ rate }) => rate === (result.find?.rate ?? rate)) ?? steps[0];
}

const SEARCH_ENDS: Readonly<Record<NonNullable<LoadResult['find']>['ended'], string>> = {
  precision: '',
  steps: ' The search ended after its maximum of steps.',
  none_passes: '',
  rate_limit: ' The search ends at this rate.',
  interrupted: ' The search was interrupted.',
  time: ' The search ended because its time was over.',
};

/** The result of a search in one sentence. */
export function foundText({
  percent,
  ms,
  rate,
  failing,
  ended,
  steps,
}: NonNullable<LoadResult['find']>): string {
  const target = `p${percent} ≤ ${ms} ms`;
  if (rate === null) {
    if (ended !== 'none_passes' || failing === null) {
      const lowest = failing === null ? '' : `; ${showRate(failing)}/s misses it`;
      return `No measured rate meets ${target}${lowest}.${SEARCH_ENDS[ended]}`;
    }
    return `No rate meets ${target}, not even ${showRate(failing)}/s, where requests hardly queue.`;
  }
  const next = failing === null ? '' : `; ${showRate(failing)}/s misses it`;
  return `Highest rate with ${target}: ${showRate(rate)} requests/s${next} (${steps} steps).${SEARCH_ENDS[ended]}`;
}

/** Failures, warnings and remarks, as paragraphs of lines. */
export function notes(result: LoadResult): string[][] {
  const steps = byRate(result);
  const failures = steps.flatMap(({ rate, errors }) =>
    errors.map(
      ({ status, type, count }) =>
        `${showRate(rate)}/s: ${count} failed: ${status ?? 'no response,'} ${type}`,
    ),
  );
  const types = new Set(steps.flatMap(({ errors }) => errors.map(({ type }) => type)));
  const warnings = steps.flatMap(({ rate, warnings }) =>
    warnings.map((text) => `Warning: ${showRate(rate)}/s: ${text}`),
  );
  const remarks = [
    types.has('rate_limited') && 'rate_limited: raise the limits of the API key for this measurement.',
    types.has('not_sent') && 'not_sent: the client keeps at most 20,000 requests outstanding.',
    result.client.shares_machine && 'Client and server share this machine and its processors.',
    result.interrupted && 'Interrupted: the last step is not complete.',
  ].filter((remark) => remark !== false);
  return [failures, warnings, remarks].filter((lines) => lines.length > 0);
}
