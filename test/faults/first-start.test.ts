import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'tap';
import { FREE_BYTES_MIN } from '../../src/storage/folder/lmdb/make-store.js';
import { decider } from '../support/cli.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { LONG, scaled } from '../support/scale.js';
import { dataFolder, modelsFolder } from '../support/server.js';

/** First starts that are killed at a random moment. */
const KILLS = scaled({ short: 1, long: 2 }, 'KILLS');

/** Runs a program where a small file system of its own is mounted. */
const MOUNTS = ['unshare', '--mount', '--propagation', 'private'];
const NO_MOUNTS =
  spawnSync(MOUNTS[0] as string, [...MOUNTS.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !==
    0 && 'SKIPPED: no file system can be mounted here (unshare needs root and Linux)';

test(`interrupted first start: ${KILLS} killed at random moments, each followed by a start that serves`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const models = modelsFolder(t.testdir());
  const settings = { DECIDER_PORT: '0', DECIDER_MODELS: models, DECIDER_LOG_LEVEL: 'silent' };
  const began = performance.now();
  const whole = decider(t, ['serve'], settings);
  await whole.line(/^listening on /);
  const startMs = performance.now() - began;
  whole.child.kill('SIGKILL');
  for (let kill = 0; kill < KILLS; kill += 1) {
    const environment = { ...settings, DECIDER_DATA: join(dataFolder(t), 'data') };
    const first = decider(t, ['serve'], environment);
    await sleep(next.integer(Math.ceil(startMs)));
    await first.kill();
    const second = decider(t, ['serve'], environment);
    await second.line(/^listening on /);
    second.child.kill('SIGTERM');
    t.equal((await second.end()).code, 0, `kill ${kill}`);
  }
});

test('interrupted first start: of two on one empty folder one serves and one is refused', async (t) => {
  const environment = {
    DECIDER_PORT: '0',
    DECIDER_DATA: dataFolder(t),
    DECIDER_MODELS: modelsFolder(t.testdir()),
    DECIDER_LOG_LEVEL: 'silent',
  };
  const both = [0, 1].map(() => decider(t, ['serve'], environment));
  const ends = await Promise.all(
    both.map((each) => Promise.race([each.line(/^listening on /).catch(() => 'ended'), each.end()])),
  );
  const refused = both.filter((_, at) => !String(ends[at]).startsWith('listening'));
  t.equal(refused.length, 1);
  const { code, stderr } = (await refused[0]?.end()) ?? { code: null, stderr: '' };
  t.equal(code, 1);
  t.match(stderr, /^The data folder \S+ is served by process \d+ on /);
});

test('interrupted first start: a full disk is reported with the bytes free and needed, and nothing is damaged', {
  skip: NO_MOUNTS,
}, async (t) => {
  const models = modelsFolder(t.testdir());
  const data = dataFolder(t);
  for (const kibibytes of LONG ? [8, 64, FREE_BYTES_MIN / 1_024 - 4] : [64]) {
    // Behind the start that must not crash, one on the same disk with room.
    const shell = `set -- ${MOUNTS.join(' ')} bash -c '
      mount -t tmpfs -o size=${kibibytes}k tmpfs ${data} && "$@"; echo "status $?";
      mount -o remount,size=100m ${data} && exec "$@"' bash "$@";`;
    const command = decider(
      t,
      ['serve'],
      { DECIDER_PORT: '0', DECIDER_DATA: data, DECIDER_MODELS: models, DECIDER_LOG_LEVEL: 'silent' },
      shell,
    );
    t.equal(await command.line(/^status/), 'status 1', `${kibibytes} KiB`);
    const told = await command.errorLine(/bytes free/);
    t.match(
      told,
      new RegExp(`^The disk of the data folder ${data} has \\d+ bytes free, and a new store needs`),
    );
    await command.line(/^listening on /);
    command.child.kill('SIGTERM');
    t.equal((await command.end()).code, 0);
  }
});

test('interrupted first start: a disk that fills up in its middle is an error, not a crash', async (t) => {
  const models = modelsFolder(t.testdir());
  for (const blocks of LONG ? [0, 12, 32] : [12]) {
    const environment = { DECIDER_PORT: '0', DECIDER_DATA: dataFolder(t), DECIDER_MODELS: models };
    const first = await decider(t, ['serve'], environment, `ulimit -S -f ${blocks};`).end();
    t.equal(first.code, 1, `${blocks} blocks`);
    t.match(first.stderr, /The data folder|master\.key cannot be written/);
    t.notMatch(first.stderr, /^ +at /m, 'no stack');
    const second = decider(t, ['serve'], environment);
    await second.line(/^listening on /);
    second.child.kill('SIGTERM');
    t.equal((await second.end()).code, 0);
  }
});
