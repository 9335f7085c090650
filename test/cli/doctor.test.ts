import { chmodSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { examine as findAll } from '../../src/cli/doctor.js';
import { serveAlone } from '../../src/storage/data-folder/serving.js';
import { Sealer } from '../../src/storage/folder/index.js';
import { writeKeptTime } from '../../src/storage/folder/lmdb/kept-time.js';
import { createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { books } from '../support/books.js';
import { decider, run as runCommand } from '../support/cli.js';
import { modelsFolder } from '../support/server.js';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A data folder and a models folder, and a doctor for them. */
function patient(t: Parameters<typeof books>[0]) {
  const folder = t.testdir();
  const models = modelsFolder(folder);
  const environment = { DECIDER_MODELS: models, DECIDER_ENGINE_BACKEND: 'cpu' };
  const all = books(t, environment, folder);
  const summary = (findings: readonly Finding[]) => ({
    findings,
    problems: findings.filter(({ ok }) => !ok),
    of: (check: string) => findings.find((finding) => finding.check === check)?.detail,
  });
  const examine = async (checksums = false) => {
    const findings: Finding[] = [];
    const settings = { ...environment, DECIDER_DATA: all.data, DECIDER_ENGINE_MEMORY_CHECK: 'false' };
    for await (const finding of findAll({ checksums }, settings)) findings.push(finding);
    return summary(findings);
  };
  /** By the command, beside a server. */
  const examineBeside = async () => {
    const { code, stdout } = await all.run('doctor', '--json', '--checksums');
    const found = summary(JSON.parse(stdout) as Finding[]);
    t.equal(code, found.problems.length === 0 ? 0 : 1);
    return found;
  };
  return { ...all, folder, models, examine, examineBeside };
}

test('doctor: a configuration file that shows the master key to all users', async (t) => {
  const folder = t.testdir({});
  const config = join(folder, 'decider.json');
  writeFileSync(config, JSON.stringify({ master_key: 'ab'.repeat(32), data: folder, models: folder }));
  for (const [mode, expected] of [
    [0o644, { detail: /^master_key: .* is accessible to all users/, remedy: /0600/ }],
    [0o640, { detail: config, remedy: undefined }],
  ] as const) {
    chmodSync(config, mode);
    for await (const finding of findAll({ config }, {})) {
      t.match(finding, { check: 'settings', ok: true, ...expected });
      break;
    }
  }
});

test('doctor: all is well, beside the process that serves', async (t) => {
  const { store, run, examineBeside, data, models } = patient(t);
  t.teardown(serveAlone(data));
  new Sealer(store, '');
  createWorkspace(store, systemClock, 'default');
  grantCredit(store, systemClock, 'default', 1n);
  const { problems, of, findings } = await examineBeside();
  t.same(problems, []);
  t.same(
    findings.map(({ check }) => check),
    ['settings', 'ports', 'transport', 'traces', 'operator token']
      .concat('data', 'master key', 'serving', 'clock', 'workspace default', 'ledger')
      .concat('models', 'prices', 'gateway')
      .concat(
        'model tiny-20260101',
        'backend',
        'tuning',
        'memory',
        'node',
        'libraries',
        'gpu driver',
        'open files',
        'threads',
      )
      .concat(...['time server', 'permissions', 'disk', 'network', 'certificate']),
  );
  t.equal(of('serving'), `process ${process.pid} on ${hostname()}`);
  t.equal(of('master key'), join(data, 'master.key'));
  t.equal(of('workspace default'), 'balance 0.000000000001 GBP: 0.000000000001 granted, 0.00 charged');
  t.equal(of('model tiny-20260101'), `${join(models, 'tiny.gguf')}, SHA-256 as in the manifest`);
  t.equal(of('backend'), 'CPU');
  t.match(of('tuning'), /^tiny was never tuned on .+ cores\. decider tune --model tiny measures it$/);
  const { code, stdout } = await run('doctor');
  t.equal(code, 0);
  t.match(stdout, /^ok {7}ledger {8}adds up$/m);
});

test('doctor: a configuration from a pipe, which cannot be read twice', async (t) => {
  const folder = t.testdir();
  const settings = { data: join(folder, 'data'), models: modelsFolder(folder) };
  writeFileSync(join(folder, 'decider.json'), JSON.stringify(settings));
  const args = ['doctor', '--config', '/dev/fd/9'];
  const shell = `exec 9< <(cat '${join(folder, 'decider.json')}');`;
  const command = decider(t, args, { DECIDER_DATA: '', DECIDER_ENGINE_BACKEND: 'cpu' }, shell);
  const { code, stdout, stderr } = await command.end();
  t.match({ code, stderr }, { code: 0, stderr: '' }, stdout);
  t.match(stdout, /^ok +settings +\/dev\/fd\/9$/m);
  t.match(stdout, /^ok +data +\S+ does not exist yet/m);
  t.match(stdout, /^ok +certificate /m);
});

test('doctor: a folder that is not there is not made', async (t) => {
  const folder = t.testdir();
  const data = join(folder, 'nowhere');
  const environment = { DECIDER_DATA: data, DECIDER_MODELS: modelsFolder(folder) };
  const { code, stdout } = await runCommand(t, ['doctor'], environment);
  t.equal(code, 0);
  t.match(stdout, /^ok +data +\S+ does not exist yet; the first start creates it$/m);
  t.notOk(existsSync(data));
  mkdirSync(data);
  const empty = await runCommand(t, ['doctor'], environment);
  t.match(empty.stdout, /^ok +data +\S+ is there and has no data yet; the first start creates it there$/m);
});

test('doctor: a master key open to others, missing, or another', async (t) => {
  const { store, data, examine, run } = patient(t);
  t.equal((await examine()).of('master key'), 'does not exist yet; the first start creates it');
  t.notOk(existsSync(join(data, 'master.key')));
  new Sealer(store, '');
  t.equal((await examine()).of('serving'), 'no process');
  chmodSync(join(data, 'master.key'), 0o644);
  t.match((await examine()).problems, [{ check: 'master key', detail: /accessible to other users/ }]);
  chmodSync(join(data, 'master.key'), 0o600);
  writeFileSync(join(data, 'master.key'), '0'.repeat(64));
  t.match((await examine()).problems, [{ check: 'master key', detail: /is not the one/ }]);
  const { code, stdout } = await run('doctor');
  t.equal(code, 1);
  t.match(stdout, /^problem {2}master key +The master key is not the one/m);
});

test('doctor: a system clock far from the recorded time', async (t) => {
  const { store, data, examine, examineBeside } = patient(t);
  const HOUR_MS = 3_600_000;
  const record = (shown: number) => store.write([writeKeptTime(store, { shown, certain: shown })]);
  t.equal((await examine()).of('clock'), 'no time recorded yet');
  await record(Date.now() - 2 * HOUR_MS);
  const stopped = await examine();
  t.match(stopped.of('clock'), /^last recorded time \S+ \S+Z; after a start nothing expires for 5 minutes$/);
  t.same(stopped.problems, [], 'no server has run for two hours');
  t.teardown(serveAlone(data));
  t.match((await examineBeside()).problems, [
    { check: 'clock', detail: /^the system clock is 72\d\d s ahead of the running server's calendar, / },
  ]);
  await record(Date.now() + HOUR_MS);
  t.match((await examineBeside()).problems, [
    { check: 'clock', detail: /^the system clock is 3[56]\d\d s behind the last recorded time, / },
  ]);
});

test('doctor: a ledger that does not add up', async (t) => {
  const { store, examine } = patient(t);
  createWorkspace(store, systemClock, 'w');
  grantCredit(store, systemClock, 'w', 5n);
  await store.write([store.table('grants').write(['w', 0], { at: 0, amount: '4' })]);
  t.match((await examine()).problems, [
    {
      check: 'ledger',
      detail: /^workspace w: sum of grants against credit granted: 0\.0+4 is not 0\.0+5\.$/,
    },
  ]);
});

test('doctor: a workspace with less than no credit', async (t) => {
  const { store, examine } = patient(t);
  createWorkspace(store, systemClock, 'w');
  grantCredit(store, systemClock, 'w', -5n);
  const { problems, findings } = await examine();
  t.same(problems, [], 'a warning');
  t.match(
    findings.find(({ check }) => check === 'workspace w'),
    { ok: true, remedy: /answered 402 until it has credit: decider workspaces credit w AMOUNT$/ },
  );
});

test('doctor: models that are missing or changed, prices and settings that cannot be', async (t) => {
  const { models, examine, data } = patient(t);
  truncateSync(join(models, 'tiny.gguf'), 10);
  t.same((await examine()).problems, [], 'the size alone tells nothing');
  t.match((await examine(true)).problems, [{ check: 'model tiny-20260101', detail: /its SHA-256 is / }]);
  rmSync(join(models, 'tiny.gguf'));
  t.match((await examine()).problems, [
    { check: 'model tiny-20260101', detail: /tiny\.gguf: no such file\. Copy it there, or install/ },
  ]);
  writeFileSync(join(models, 'manifest.json'), '{}');
  t.match((await examine()).problems, [{ check: 'models', detail: /manifest\.json: / }]);
  const other = { DECIDER_DATA: data, DECIDER_MODELS: models, DECIDER_BILLING_PRICES: 'free' };
  const priced = await runCommand(t, ['doctor'], other);
  t.match(priced.stdout, /^problem +settings +DECIDER_BILLING_PRICES has the entry "free", which is not /m);
  const unset = await runCommand(t, ['doctor', '--json'], { DECIDER_PORT: 'x' });
  t.equal(unset.code, 1);
  t.match(JSON.parse(unset.stdout), [{ check: 'settings', ok: false, detail: /^DECIDER_PORT must be / }]);
});
