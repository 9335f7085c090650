import { test } from 'tap';
import { processors } from '#native/compiler.mjs';

test('files are compiled with as many processors as the quota of a container allows, but one', (t) => {
  const with2 = (text: string) => t.testdir({ sys: { fs: { cgroup: { 'cpu.max': text } } } });
  const with1 = (quota: string) =>
    t.testdir({
      sys: { fs: { cgroup: { cpu: { 'cpu.cfs_quota_us': quota, 'cpu.cfs_period_us': '100000\n' } } } },
    });
  t.equal(processors(with2('1600000 100000\n'), 200), 16);
  t.equal(processors(with2('50000 100000\n'), 200), 1);
  t.equal(processors(with2('1600000 100000\n'), 4), 4);
  t.equal(processors(with2('max 100000\n'), 200), 200);
  t.equal(processors(with1('250000\n'), 200), 2);
  t.equal(processors(with1('-1\n'), 200), 200);
  t.equal(processors(t.testdir({}), 200), 200);
  t.end();
});
