import { test } from 'tap';
import { showBytes } from '../../src/base/index.js';
import { PullProgress } from '../../src/hub/download-progress.js';

test('progress shows share, rate and remaining time', async (t) => {
  let now = 0;
  const progress = new PullProgress(1_000_000_000, { monotonic: () => now });
  t.equal(String(progress), '0 % of 1.0 GB');
  progress.add(200_000_000, 'disk');
  t.equal(String(progress), '20 % of 1.0 GB', 'bytes on the disk have no rate');
  for (let second = 1; second <= 4; second += 1) {
    now = second * 1_000;
    progress.add(50_000_000, 'network');
  }
  t.equal(String(progress), '40 % of 1.0 GB, 50 MB/s, 12 s left');
  now += 20_000;
  progress.add(10_000, 'network');
  t.match(String(progress), /^40 % of 1\.0 GB, .*min left$/, 'a slow connection lowers the rate');
  progress.add(599_990_000, 'network');
  t.equal(String(progress), '100 % of 1.0 GB');
});

test('long durations', async (t) => {
  let now = 0;
  const progress = new PullProgress(100_000_000_000, { monotonic: () => now });
  now = 2_000;
  progress.add(2_000_000, 'network');
  t.equal(String(progress), '0 % of 100 GB, 1.0 MB/s, 27 h 47 min left');
});

test('sizes', async (t) => {
  t.strictSame([0, 999, 1_000, 9_940, 9_960, 999_499, 999_500, 4_900_000_000, 2e15].map(showBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '9.9 kB',
    '10 kB',
    '999 kB',
    '1.0 MB',
    '4.9 GB',
    '2000 TB',
  ]);
});
