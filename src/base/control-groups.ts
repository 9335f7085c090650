import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A control group of this process. */
export interface ControlGroup {
  readonly version: 1 | 2;
  /** Where the kernel shows its files. */
  readonly folder: string;
}

/** Where a hierarchy of control groups is mounted, and the group whose files are at the mount point. */
interface Mount {
  readonly version: 1 | 2;
  readonly point: string;
  readonly group: string;
}

/** Where systems mount the hierarchies, for a process that cannot read its own mounts. */
const USUAL_POINT = '/sys/fs/cgroup';

/**
 * The control groups of this process for a controller (`cpu`, `memory`, `pids`): its own and every one above it, as far as
 * they are mounted. Of both versions, because a system may use both at a time. `root` replaces the root of the file system
 * in tests.
 */
export function controlGroups(controller: string, root = '/'): ControlGroup[] {
  const mounts = readMounts(controller, root);
  return mounts.flatMap(({ version, point, group }) => {
    const own = groupPath(controller, version, root);
    // Without a control group namespace, a container sees its path on the host, which is not mounted inside.
    const inside = posix.relative(group, own);
    const folder = inside.startsWith('..') ? '/' : posix.join('/', inside);
    const there = existsSync(join(root, point, folder)) ? folder : '/';
    return ancestors(there).map((each) => ({ version, folder: join(root, point, each) }));
  });
}

/** A file of a control group; '' if it does not exist. */
export const readGroupFile = ({ folder }: ControlGroup, name: string): string => read(join(folder, name));

/** The path of this process in a hierarchy, from the root of its namespace: `/a/b`. */
function groupPath(controller: string, version: 1 | 2, root: string): string {
  for (const line of read(join(root, 'proc/self/cgroup')).split('\n')) {
    const [, controllers = null, path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const found = version === 2 ? controllers === '' : controllers?.split(',').includes(controller);
    if (found) return path;
  }
  return '/';
}

function readMounts(controller: string, root: string): Mount[] {
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
function mountOf(line: string, controller: string): Mount[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , group = '/', point = ''] = before.split(' ').map(unescaped);
  const [type, , options = ''] = after.split(' ');
  if (type === 'cgroup2') return [{ version: 2, point, group }];
  if (type !== 'cgroup' || !options.split(',').includes(controller)) return [];
  return [{ version: 1, point, group }];
}

/** The kernel writes spaces and backslashes as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** `/a/b`, `/a` and `/`. */
const ancestors = (path: string): string[] =>
  path === '/' ? ['/'] : [path, ...ancestors(posix.dirname(path))];

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
