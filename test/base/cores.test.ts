import { spawnSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { controlGroups, usableCores } from '../../src/base/index.js';
import { fileTree } from '../support/file-tree.js';

const CORES = 8;

/** The mounts of a system with version 2 only, and of one with version 1 for some controllers. */
const UNIFIED = '30 22 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';
const HYBRID = [
  '30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
  '31 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '32 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
  '33 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
].join('\n');

const v2 = (path: string, max: string) => ({ [join('sys/fs/cgroup', path, 'cpu.max')]: `${max}\n` });
const v1 = (folder: string, quota: number, period = 100_000) => ({
  [join('sys/fs/cgroup', folder, 'cpu.cfs_quota_us')]: `${quota}\n`,
  [join('sys/fs/cgroup', folder, 'cpu.cfs_period_us')]: `${period}\n`,
});

const LAYOUTS: readonly {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly cores: number;
}[] = [
  { name: 'no control groups', files: {}, cores: 8 },
  { name: 'no /proc, version 2', files: v2('', '200000 100000'), cores: 2 },
  { name: 'no /proc, version 1', files: v1('cpu', 300_000), cores: 3 },
  {
    name: 'a container with a namespace of its own',
    files: {
      'proc/self/mountinfo': UNIFIED,
      'proc/self/cgroup': '0::/\n',
      ...v2('', '250000 100000'),
    },
    cores: 2,
  },
  {
    name: 'a systemd unit with CPUQuota=150%',
    files: {
      'proc/self/mountinfo': UNIFIED,
      'proc/self/cgroup': '0::/system.slice/decider.service\n',
      ...v2('system.slice', 'max 100000'),
      ...v2('system.slice/decider.service', '150000 100000'),
    },
    cores: 1,
  },
  {
    name: 'the slice above has the smaller quota',
    files: {
      'proc/self/mountinfo': UNIFIED,
      'proc/self/cgroup': '0::/a.slice/b.slice/c.service\n',
      ...v2('a.slice', '300000 100000'),
      ...v2('a.slice/b.slice', 'max 100000'),
      ...v2('a.slice/b.slice/c.service', '600000 100000'),
    },
    cores: 3,
  },
  {
    name: 'a group outside the namespace',
    files: {
      'proc/self/mountinfo': UNIFIED,
      'proc/self/cgroup': '0::/../other\n',
      ...v2('', '400000 100000'),
    },
    cores: 4,
  },
  {
    name: 'version 1, a container that sees its path on the host',
    files: {
      'proc/self/mountinfo':
        '31 30 0:28 /kubepods/pod1/abc /sys/fs/cgroup/cpu,cpuacct ro master:9 - cgroup cgroup rw,cpu,cpuacct\n',
      'proc/self/cgroup': '4:cpu,cpuacct:/kubepods/pod1/abc\n0::/\n',
      ...v1('cpu,cpuacct', 200_000),
    },
    cores: 2,
  },
  {
    name: 'version 1, nested',
    files: {
      'proc/self/mountinfo': HYBRID,
      'proc/self/cgroup': '5:memory:/other\n4:cpu,cpuacct:/docker/1\n0::/x\n',
      ...v1('cpu,cpuacct', -1),
      ...v1('cpu,cpuacct/docker', 100_000, 50_000),
      ...v1('cpu,cpuacct/docker/1', -1),
    },
    cores: 2,
  },
  {
    name: 'a mount point with a space',
    files: {
      'proc/self/mountinfo': '31 30 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n',
      'proc/self/cgroup': '0::/\n',
      'my groups/cpu.max': '500000 100000\n',
    },
    cores: 5,
  },
  ...['max 100000', '900000 100000', '', '0 0', 'x', '-1 100000'].map((max) => ({
    name: `no smaller quota: ${JSON.stringify(max)}`,
    files: { 'proc/self/mountinfo': UNIFIED, 'proc/self/cgroup': '0::/\n', ...v2('', max) },
    cores: 8,
  })),
  {
    name: 'less than one core',
    files: { 'proc/self/mountinfo': UNIFIED, 'proc/self/cgroup': '0::/\n', ...v2('', '5000 100000') },
    cores: 1,
  },
];

test('the quota of the own control group and of each one above it counts as cores', async (t) => {
  for (const { name, files, cores } of LAYOUTS) {
    t.equal(usableCores(fileTree(t, files), CORES), cores, name);
  }
});

test('a real control group with a quota, and one inside it', async (t) => {
  const top = controlGroups('cpu').at(-1);
  const folder = join(top?.folder ?? '', `decider-test-${process.pid}`);
  const inner = join(folder, 'inner');
  try {
    mkdirSync(inner, { recursive: true });
    if (top?.version === 1) writeFileSync(join(folder, 'cpu.cfs_quota_us'), '100000');
    else writeFileSync(join(folder, 'cpu.max'), '100000 100000');
  } catch (error) {
    t.comment(`SKIPPED: no control group can be made here (${(error as Error).message})`);
    return;
  }
  const module = new URL('../../src/base/index.js', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then((m) => console.log(m.usableCores('/', 64)))`;
  const run = ['-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', inner, process.execPath, '-e', script];
  const { stdout, stderr } = spawnSync('sh', run, { encoding: 'utf8' });
  for (const each of [inner, folder]) rmdirSync(each);
  t.equal(stdout.trim(), '1', stderr);
});
