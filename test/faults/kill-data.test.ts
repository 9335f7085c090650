// Kills of the commands that copy, restore and encrypt the data folder.
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { openStore, Sealer } from '../../src/storage/folder/index.js';
import { storeExists } from '../../src/storage/index.js';
import { createKey, createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { decider, run } from '../support/cli.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { dataFolder } from '../support/server.js';
import { storeFinishedBatches } from '../support/stored-batches.js';

const KILLED = new URL('../support/store/killed-before-call.js', import.meta.url);
const KILLS = scaled({ short: 1, long: 5 }, 'KILLS');
/** About as many calls of the file system as each command makes after the first that names its folder or file. */
const CALLS = { backup: 16, restore: 35, rekey: 43 };

/** A data folder with finished batches whose lines were charged. */
async function filled(t: Test): Promise<string> {
  const data = join(dataFolder(t), 'data');
  const store = openStore(data);
  createWorkspace(store, systemClock, 'w');
  grantCredit(store, systemClock, 'w', 1_000_000n);
  const { key } = createKey(store, systemClock, 'w');
  const batches = { count: 20, lines: 10, resultBytes: 2_000, now: systemClock.now() };
  await storeFinishedBatches(store, new Sealer(store, ''), { key: key.id, workspace: 'w', ...batches });
  const charged = { requests: 200, inputTokens: 0, amount: '0' };
  await store.write([
    store.table('usage').write(['w', '2026-11-22', key.id, 'decider-g-12b', 'batch', '0'], charged),
  ]);
  await store.close();
  return data;
}

/** Kills a command before a random call of the file system, KILLS times; runs `check` after each. */
async function killed(
  t: Test,
  command: readonly [keyof typeof CALLS, ...string[]],
  { data, path }: { readonly data: string; readonly path: string },
  check: () => Promise<void>,
): Promise<void> {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  let kills = 0;
  for (let attempt = 0; kills < KILLS && attempt < KILLS * 10; attempt += 1) {
    const call = next.integer(CALLS[command[0]]);
    const shell = `export KILL_IN=${path} KILL_BEFORE=${call} NODE_OPTIONS=--import=${KILLED};`;
    const started = decider(t, command, { DECIDER_DATA: data }, shell);
    const { code, stderr } = await started.end();
    if (started.child.signalCode === 'SIGKILL') kills += 1;
    else t.equal(code, 0, stderr);
    await check();
  }
  t.equal(kills, KILLS);
}

/** Runs a command in this process; it must end with 0. */
async function succeed(t: Test, data: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(t, args, { DECIDER_DATA: data });
  t.equal(code, 0, `${args[0]}: ${stdout}${stderr}`);
  return stdout;
}

/** Verifies a data folder with all batches of `filled`. */
async function verify(t: Test, data: string): Promise<void> {
  t.match(await succeed(t, data, 'verify'), /^ok {7}batches {7}20 batches, 200 lines$/m);
}

/** Restores a backup to a folder that is then removed, and verifies it. */
async function verifyBackup(t: Test, data: string, file: string): Promise<void> {
  const target = dataFolder(t);
  cpSync(join(data, 'master.key'), join(target, 'master.key'));
  await succeed(t, target, 'restore', file);
  await verify(t, target);
  rmSync(target, { recursive: true });
}

test(`${KILLS} kills during a backup: the file is complete or missing, and the next backup succeeds`, async (t) => {
  const data = await filled(t);
  const folder = dataFolder(t);
  const file = join(folder, 'backup');
  await killed(t, ['backup', file], { data, path: file }, async () => {
    if (!existsSync(file)) await succeed(t, data, 'backup', file);
    await verifyBackup(t, data, file);
    // A backup that was killed after its last step leaves the folder, which the next one of this name removes.
    rmSync(file);
    await succeed(t, data, 'backup', file);
    t.strictSame(readdirSync(folder), ['backup']);
    rmSync(file);
  });
  await verify(t, data);
});

test('a kill in the middle of the copy: the file is complete or missing', async (t) => {
  const data = await filled(t);
  const file = join(dataFolder(t), 'backup');
  const command = decider(t, ['backup', file], { DECIDER_DATA: data });
  const copy = join(`${file}.part`, 'data.mdb');
  const size = () => statSync(copy, { throwIfNoEntry: false })?.size ?? 0;
  while (size() === 0 && !existsSync(file) && command.child.exitCode === null) await sleep(1);
  command.child.kill('SIGKILL');
  await command.end();
  if (!existsSync(file)) await succeed(t, data, 'backup', file);
  await verifyBackup(t, data, file);
});

test(`${KILLS} kills during a restore: the folder has no store or the whole one`, async (t) => {
  const data = await filled(t);
  const file = join(dataFolder(t), 'backup');
  await succeed(t, data, 'backup', file);
  const target = join(dataFolder(t), 'data');
  const clear = () => {
    rmSync(target, { recursive: true, force: true });
    cpSync(join(data, 'master.key'), join(target, 'master.key'));
  };
  clear();
  await killed(t, ['restore', file], { data: target, path: target }, async () => {
    if (!storeExists(target)) await succeed(t, target, 'restore', file);
    await verify(t, target);
    t.strictSame(readdirSync(target).sort(), ['master.key', 'store']);
    clear();
  });
});

test(`${KILLS} kills during a change of the master key: every batch opens, and the next run finishes it`, async (t) => {
  const data = await filled(t);
  await killed(t, ['rekey'], { data, path: data }, async () => {
    await verify(t, data);
    await succeed(t, data, 'rekey');
    await verify(t, data);
    t.notOk(existsSync(join(data, 'master.key.next')));
  });
});
