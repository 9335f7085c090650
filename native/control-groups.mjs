// The control groups of this process and their CPU quotas. Read by the build at install and by the program (src/base), so
// that both count the same cores.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, posix } from 'node:path';

/** Where systems mount the hierarchies, for a process that cannot read its own mounts. */
const USUAL_POINT = '/sys/fs/cgroup';

/**
 * The control groups of this process for a controller (`cpu`, `memory`, `pids`): its own and every one above it, as far as
 * they are mounted. Of both versions, because a system may use both at a time. `root` replaces the root of the file system
 * in tests.
 */
export function controlGroups(controller, root = '/') {
  return readMounts(controller, root).flatMap(({ version, point, group }) => {
    const own = groupPath(controller, version, root);
    // Without a control group namespace, a container sees its path on the host, which is not mounted inside.
    const inside = posix.relative(group, own);
    const folder = inside.startsWith('..') ? '/' : posix.join('/', inside);
    const there = existsSync(join(root, point, folder)) ? folder : '/';
    return ancestors(there).map((each) => ({ version, folder: join(root, point, each) }));
  });
}

/** A file of a control group; '' if it does not exist. */
export const readGroupFile = ({ folder }, name) => read(join(folder, name));

/**
 * The cores that this process can use: those it may run on, or fewer if a control group has a CPU quota, as in a container
 * with a limit or a unit with `CPUQuota`. Node's `availableParallelism` knows the first only. A part of a core is left out,
 * but one core remains. `root` replaces the root of the file system in tests.
 */
export function usableCores(root = '/', cores = availableParallelism()) {
  const quotas = controlGroups('cpu', root).map(quotaOf);
  return Math.min(cores, ...quotas.map((quota) => Math.max(1, Math.floor(quota))));
}

/** The cores of a control group: microseconds in each period of microseconds. Infinity without a quota. */
function quotaOf(group) {
  const texts =
    group.version === 2
      ? readGroupFile(group, 'cpu.max').split(' ')
      : [readGroupFile(group, 'cpu.cfs_quota_us'), readGroupFile(group, 'cpu.cfs_period_us')];
  const [quota = Number.NaN, period = Number.NaN] = texts.map((text) => Number.parseInt(text, 10));
  const cores = quota / period;
  // `max` is no number, and -1 no quota.
  return cores > 0 && Number.isFinite(cores) ? cores : Number.POSITIVE_INFINITY;
}

/** The path of this process in a hierarchy, from the root of its namespace: `/a/b`. */
function groupPath(controller, version, root) {
  for (const line of read(join(root, 'proc/self/cgroup')).split('\n')) {
    const [, controllers = null, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const found = version === 2 ? controllers === '' : controllers?.split(',').includes(controller);
    if (found) return path;
  }
  return '/';
}

/** Where the hierarchies are mounted, and for each the group whose files are at the mount point. */
function readMounts(controller, root) {
  const found = read(join(root, 'proc/self/mountinfo'))
    .split('\n')
    .flatMap((line) => mountOf(line, controller));
  if (found.length > 0) return found;
  return [
    { version: 2, point: USUAL_POINT, group: '/' },
    { version: 1, point: posix.join(USUAL_POINT, controller), group: '/' },
  ];
}

/** `31 30 0:28 /group /point rw - cgroup cgroup rw,cpu,cpuacct` */
function mountOf(line, controller) {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , group = '/', point = ''] = before.split(' ').map(unescaped);
  const [type, , options = ''] = after.split(' ');
  if (type === 'cgroup2') return [{ version: 2, point, group }];
  if (type !== 'cgroup' || !options.split(',').includes(controller)) return [];
  return [{ version: 1, point, group }];
}

/** The kernel writes spaces and backslashes as octal numbers. */
const unescaped = (text) =>
  text.replace(/\\(\d{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));

/** `/a/b`, `/a` and `/`. */
const ancestors = (path) => (path === '/' ? ['/'] : [path, ...ancestors(posix.dirname(path))]);

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
