import { random } from '../../base/index.js';

export const FOLDS = 5;

/**
 * The fold of each question, from 0. Questions of a cluster share a fold, and the folds are of about equal size: in random
 * order but the largest first, each cluster joins the smallest fold.
 */
export function foldsOf(clusters: readonly number[], seed: number): Int32Array {
  const sizes = new Map<number, number>();
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  const next = random(seed);
  const order = [...sizes]
    .map(([cluster, size]) => ({ cluster, size, lot: next.number() }))
    .sort((a, b) => b.size - a.size || a.lot - b.lot);
  const filled = new Array<number>(FOLDS).fill(0);
  const foldOf = new Map<number, number>();
  for (const { cluster, size } of order) {
    const smallest = filled.indexOf(Math.min(...filled));
    foldOf.set(cluster, smallest);
    filled[smallest]! += size;
  }
  return Int32Array.from(clusters, (cluster) => foldOf.get(cluster) as number);
}
