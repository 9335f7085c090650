import { createHash } from 'node:crypto';

/** One of so many labels chooses the temperature and the sequence of thresholds. */
const CHOOSING_ONE_OF = 4;

/** Labels in two parts, so that what one part chooses is tested on labels that did not choose it. */
interface SplitLabels<Label> {
  readonly choosing: readonly Label[];
  readonly testing: readonly Label[];
}

const testingOf = (labels: number): number => labels - Math.floor(labels / CHOOSING_ONE_OF);

/** The smallest number of labels of which `testing` test. Infinite if that is. */
export function labelsFor(testing: number): number {
  let labels = Math.floor((testing * CHOOSING_ONE_OF) / (CHOOSING_ONE_OF - 1)) - 1;
  while (testingOf(labels) < testing) labels += 1;
  return labels;
}

/**
 * Splits labels by a hash of their ids: the quarter with the smallest hashes chooses, the others test. The same ids give the
 * same parts in any order, and nothing about the answers decides. Parts of fixed sizes, so that the number of labels that a
 * fit needs can be stated.
 */
export function splitLabels<Label extends { readonly id: string }>(
  labels: readonly Label[],
): SplitLabels<Label> {
  const sorted = labels
    .map((label) => ({ label, hash: createHash('sha256').update(label.id).digest('hex') }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ label }) => label);
  const choosing = sorted.length - testingOf(sorted.length);
  return { choosing: sorted.slice(0, choosing), testing: sorted.slice(choosing) };
}
