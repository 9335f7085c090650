import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { usableRam } from '../../src/engine/memory/ram.js';
import { fileTree } from '../support/file-tree.js';

const GB = 1e9;
/** 16 GB of 64 GB available. */
const HOST = {
  'proc/meminfo': 'MemTotal:       62500000 kB\nMemFree:         1 kB\nMemAvailable:   15625000 kB\n',
};

/** What is usable with these files in place of the system's. */
const usable = (t: Test, files: Readonly<Record<string, string>>) => usableRam(fileTree(t, files));

/** A control group of version 2 that limits memory. */
const group = (path: string, limit: number | 'max', used: number, cache: number) => ({
  [join('sys/fs/cgroup', path, 'memory.max')]: `${limit}\n`,
  [join('sys/fs/cgroup', path, 'memory.current')]: `${used}\n`,
  [join('sys/fs/cgroup', path, 'memory.stat')]:
    `anon 5\ninactive_file ${cache}\nactive_file 0\nslab_reclaimable 0\n`,
});

test('without a container: what the host has available', async (t) => {
  t.same(usable(t, HOST), { free: 16 * GB, total: 64 * GB });
});

test('a container: its limit, with its file cache counted as free', async (t) => {
  const files = { ...HOST, 'proc/self/cgroup': '0::/\n', ...group('', 8 * GB, 7 * GB, 4 * GB) };
  t.same(usable(t, files), { free: 5 * GB, total: 8 * GB });
});

test('a container without a limit: what the host has available', async (t) => {
  const files = { ...HOST, 'proc/self/cgroup': '0::/\n', ...group('', 'max', 7 * GB, 4 * GB) };
  t.same(usable(t, files), { free: 16 * GB, total: 64 * GB });
});

test('the tightest of nested control groups counts', async (t) => {
  const files = {
    ...HOST,
    'proc/self/cgroup': '0::/system.slice/decider.service\n',
    ...group('system.slice', 12 * GB, 11 * GB, 0),
    ...group('system.slice/decider.service', 10 * GB, 2 * GB, 0),
  };
  t.same(usable(t, files), { free: 1 * GB, total: 10 * GB });
});

test('control groups of version 1', async (t) => {
  const folder = 'sys/fs/cgroup/memory/docker/1';
  const files = {
    ...HOST,
    'proc/self/cgroup': '9:name=systemd:/\n4:memory:/docker/1\n3:cpuset:/\n',
    [`${folder}/memory.limit_in_bytes`]: `${6 * GB}\n`,
    [`${folder}/memory.usage_in_bytes`]: `${5 * GB}\n`,
    [`${folder}/memory.stat`]: `total_inactive_file ${GB}\ntotal_active_file ${GB}\n`,
  };
  t.same(usable(t, files), { free: 3 * GB, total: 6 * GB });
});

test('a hierarchy mounted elsewhere, and a group that is slowed down before its limit', async (t) => {
  const files = {
    ...HOST,
    'proc/self/mountinfo': '33 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n',
    'proc/self/cgroup': '0::/a\n',
    ...group('unified/a', 8 * GB, 2 * GB, 0),
    'sys/fs/cgroup/unified/a/memory.high': `${7 * GB}\n`,
  };
  t.same(usable(t, files), { free: 5 * GB, total: 7 * GB });
});

test('more in use than a limit that was lowered: nothing is free', async (t) => {
  const files = { ...HOST, 'proc/self/cgroup': '0::/\n', ...group('', 2 * GB, 3 * GB, 0) };
  t.same(usable(t, files), { free: 0, total: 2 * GB });
});

test('a system that reports nothing: all memory counts as free', async (t) => {
  t.same(usable(t, {}), { free: totalmem(), total: totalmem() });
});
