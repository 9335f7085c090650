// Commands that read files which may be damaged run in a child process, which ends with them.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Test, test } from 'tap';
import { appendTrailer } from '../../src/storage/folder/backup/backup-file.js';
import { backUp, openStore } from '../../src/storage/folder/index.js';
import { FORMAT } from '../../src/storage/folder/lmdb/format.js';
import { storeExists } from '../../src/storage/index.js';
import { decider } from '../support/cli.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { until } from '../support/until.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const ENTRIES = 3_000;
const DAMAGES = scaled({ short: 6, long: 16 }, 'DAMAGES');
const PAGE_BYTES = 4_096;
/** The pages before the first of a table. */
const META_PAGES = 2;
/** Samples in which a process waits, so that it waits for something that does not come. */
const WAITS = 60;

/** A data folder in whose file every page is used, its backup, and the command line on a folder. */
async function compacted(t: Test) {
  const folder = t.testdir();
  const [first, data, backup] = ['first', 'data', 'backup'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const store = openStore(first);
  store.change(() => {
    for (let at = 0; at < ENTRIES; at += 1)
      store.audit(at, { action: 'backup.restore', after: { created: `${at}` } });
  });
  await store.close();
  await backUp(first, backup, 0);
  const run = (data: string, ...args: string[]) => decider(t, args, { DECIDER_DATA: data }).end();
  t.match(await run(data, 'restore', backup), { code: 0, stderr: '' });
  return { folder, data, backup, file: join(data, 'store', 'data.mdb'), run };
}

const seed = seedFromEnvironment();

test(`verify: a damaged page anywhere is found, and never ends the command (TEST_SEED=${seed})`, async (t) => {
  const { data, file, run } = await compacted(t);
  const { integer } = random(seed);
  const whole = readFileSync(file);
  const all = (await run(data, 'audit', '--after', '0')).stdout;
  const names = Math.floor(whole.indexOf('batch_order\0') / PAGE_BYTES);
  for (let number = 0; number < DAMAGES; number += 1) {
    const page = number === 0 ? names : META_PAGES + integer(whole.length / PAGE_BYTES - META_PAGES);
    const damaged = Buffer.from(whole);
    const filling = integer(3);
    for (let at = page * PAGE_BYTES; at < (page + 1) * PAGE_BYTES; at += 1)
      damaged[at] = filling === 0 ? 0 : integer(256);
    writeFileSync(file, damaged);
    const { code, stdout, stderr } = await run(data, 'verify');
    if (code === 0) {
      t.equal((await run(data, 'audit', '--after', '0')).stdout, all, `page ${page} is not used`);
      continue;
    }
    t.equal(code, 1);
    t.ok(/^problem /m.test(stdout) || /data file.* is damaged/.test(stderr), `page ${page}`);
  }
  const cut = Math.floor(whole.length / PAGE_BYTES / 2) * PAGE_BYTES;
  writeFileSync(file, whole);
  truncateSync(file, cut);
  t.match(await run(data, 'verify'), { code: 1 }, 'half of the file');
  writeFileSync(file, whole);
  t.match(
    await run(data, 'verify'),
    { code: 0, stdout: /^ok +tables .* 3,00\d entries$/m },
    'the whole file',
  );
});

test('restore: a backup whose content is not whole is refused in one line, and nothing stays of it', async (t) => {
  const { folder, file, backup, run } = await compacted(t);
  const target = join(folder, 'target');
  for (const part of [0.2, 0.5, 0.9]) {
    const short = join(folder, `short-${part}`);
    copyFileSync(file, short);
    truncateSync(short, Math.floor((readFileSync(file).length * part) / PAGE_BYTES) * PAGE_BYTES);
    appendTrailer(short, { format: FORMAT, created: 0, version: '0' });
    const { code, stdout, stderr } = await run(target, 'restore', short);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(
      stderr,
      new RegExp(
        `^The content of the backup ${short} (cannot be read|is not complete).* Use an older backup\\.\n$`,
      ),
    );
    t.notOk(storeExists(target));
  }
  t.match(await run(target, 'restore', backup), { code: 0 });
  t.match(await run(target, 'verify'), { code: 0 });
});

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
  test(`a command that ${signal} ends takes its child process with it, whatever that does`, async (t) => {
    const folder = t.testdir();
    const data = join(folder, 'data');
    mkdirSync(data);
    // Its reader waits for a writer, in one call.
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { child } = decider(t, ['restore', pipe], { DECIDER_DATA: data });
    const children = () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
    await until(() => children().length === 1);
    const [reader = ''] = children();
    // It waits for the other end of the pipe.
    let waits = 0;
    await until(() => {
      waits = /^State:\s+S/m.test(readFileSync(`/proc/${reader}/status`, 'utf8')) ? waits + 1 : 0;
      return waits === WAITS;
    });
    child.kill(signal);
    await until(() => !existsSync(`/proc/${reader}`));
    await until(() => child.exitCode !== null || child.signalCode !== null);
    t.equal(child.signalCode, signal);
  });
}

test('the child process has the descriptors of a shell, such as that of a configuration', async (t) => {
  const { folder, data, run } = await compacted(t);
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ data }));
  const script = `exec "${process.execPath}" "${MAIN}" verify --config /dev/fd/9 9< "${config}"`;
  const said = execFileSync('bash', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  t.equal(said.trimEnd(), (await run(data, 'verify')).stdout);
});

test('something else in the place of a file of the store is an error, not a crash', async (t) => {
  const { data, run } = await compacted(t);
  const lock = join(data, 'store', 'lock.mdb');
  rmSync(lock);
  mkdirSync(lock);
  t.match(await run(data, 'verify'), { code: 1, stderr: /^\S+lock\.mdb is not a file\. .*\n$/ });
  rmSync(join(data, 'store'), { recursive: true });
  writeFileSync(join(data, 'store'), 'a file');
  for (const command of ['verify', 'audit', 'backup'])
    t.match(await run(data, command, ...(command === 'backup' ? [join(data, 'copy')] : [])), {
      code: 1,
      stderr: /^\S+store is not a folder\. .*\n$/,
    });
});
