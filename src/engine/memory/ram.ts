import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type ControlGroup, controlGroups, readGroupFile } from '../../base/index.js';
import type { Addon } from '../addon/addon-types.js';
import type { MemorySpace } from './memory-types.js';

/** Bytes of RAM. */
interface Ram {
  readonly free: number;
  readonly total: number;
}

/** The files of a control group, by version. A group above `high` is slowed down until it is as good as stopped. */
const GROUP_FILES = {
  2: {
    limits: ['memory.max', 'memory.high'],
    used: 'memory.current',
    cache: ['inactive_file', 'active_file', 'slab_reclaimable'],
  },
  1: {
    limits: ['memory.limit_in_bytes'],
    used: 'memory.usage_in_bytes',
    cache: ['total_inactive_file', 'total_active_file'],
  },
} as const;

/**
 * The RAM that this process can use: what is available on the host, or less if a container limits it. Memory that only
 * caches files is free, swap space is not counted. Node's `process.availableMemory` counts a container's file cache as
 * used: after reading a model, little would be left. Where the system does not report what is available, all of its memory
 * counts as free. `root` replaces the root of the file system in tests.
 */
export function usableRam(root = '/'): Ram {
  const spaces = [hostRam(root), ...controlGroups('memory', root).flatMap(groupLimits)];
  const least = (values: number[]) => Math.max(0, Math.min(...values));
  return { free: least(spaces.map(({ free }) => free)), total: least(spaces.map(({ total }) => total)) };
}

function hostRam(root: string): Ram {
  const text = read(join(root, 'proc/meminfo'));
  const bytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024;
  const total = bytes('MemTotal') || totalmem();
  return { free: bytes('MemAvailable') || total, total };
}

/** The limits of a control group of this process. */
function groupLimits(group: ControlGroup): Ram[] {
  const { limits, used, cache } = GROUP_FILES[group.version];
  const number = (name: string) => Number.parseInt(readGroupFile(group, name), 10);
  const taken = number(used);
  if (Number.isNaN(taken)) return [];
  const statistics = readGroupFile(group, 'memory.stat');
  const bytes = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics)?.[1] ?? 0);
  const reclaimable = cache.reduce((sum, name) => sum + bytes(name), 0);
  // `max` is no number: no limit.
  const totals = limits.map(number).filter((total) => !Number.isNaN(total));
  return totals.map((total) => ({ free: total - taken + reclaimable, total }));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The memory of RAM and of those of these devices that report theirs, as it is now. `shared`: whether a server that runs
 * already holds a part of it; all of it then counts as free.
 */
export function memorySpaces(
  addon: Pick<Addon, 'deviceMemory'>,
  devices: readonly string[],
  shared: boolean,
): MemorySpace[] {
  const gpus = devices
    .filter((device) => device !== '')
    .map((device) => ({ device, ...addon.deviceMemory(device) }))
    .filter(({ total }) => total > 0);
  const spaces = [{ device: '', ...usableRam() }, ...gpus];
  return shared ? spaces.map((space) => ({ ...space, free: space.total })) : spaces;
}
