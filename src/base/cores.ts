import { availableParallelism } from 'node:os';
import { type ControlGroup, controlGroups, readGroupFile } from './control-groups.js';

/**
 * The cores that this process can use: those it may run on, or fewer if a control group has a CPU quota, as in a container
 * with a limit or a unit with `CPUQuota`. Node's `availableParallelism` knows the first only. A part of a core is left out,
 * but one core remains. `root` replaces the root of the file system in tests.
 */
export function usableCores(root = '/', cores: number = availableParallelism()): number {
  const quotas = controlGroups('cpu', root).map(quotaOf);
  return Math.min(cores, ...quotas.map((quota) => Math.max(1, Math.floor(quota))));
}

/** The cores of a control group: microseconds in each period of microseconds. Infinity without a quota. */
function quotaOf(group: ControlGroup): number {
  const texts =
    group.version === 2
      ? readGroupFile(group, 'cpu.max').split(' ')
      : [readGroupFile(group, 'cpu.cfs_quota_us'), readGroupFile(group, 'cpu.cfs_period_us')];
  const [quota = Number.NaN, period = Number.NaN] = texts.map((text) => Number.parseInt(text, 10));
  const cores = quota / period;
  // `max` is no number, and -1 no quota.
  return cores > 0 && Number.isFinite(cores) ? cores : Number.POSITIVE_INFINITY;
}
