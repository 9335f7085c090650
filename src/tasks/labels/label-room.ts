/** How many labelled answers a task has. */
export interface LabelCounts {
  /** Of the version in use. */
  readonly current: number;
  /** Of all versions. */
  readonly all: number;
}

/** The part of the most labelled answers by which those of earlier versions are removed: looking for them reads all. */
const REMOVED_PART = 1 / 20;

/**
 * How many labelled answers of earlier versions are removed so that further ones have room: those of the earliest version
 * first, and of one version those that were labelled first. Nothing uses them, because a version is never in use again.
 *
 * @param counts those with the further ones, before any is removed
 * @param max the most labelled answers of a task
 * @returns null: there is no room, because the version in use would have more than `max`
 */
export function removedForRoom(counts: LabelCounts, max: number): number | null {
  const { current, all } = counts;
  if (current > max) return null;
  const excess = all - max;
  if (excess <= 0) return 0;
  return Math.min(all - current, Math.max(excess, Math.ceil(max * REMOVED_PART)));
}
