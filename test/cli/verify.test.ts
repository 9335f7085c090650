import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { systemClock } from '../../src/base/index.js';
import { openStore, Sealer, type TableName } from '../../src/storage/folder/index.js';
import { FORMAT } from '../../src/storage/folder/lmdb/format.js';
import type { RawWrite } from '../../src/storage/folder/lmdb/writes.js';
import { createKey, createWorkspace, grantCredit } from '../support/access/folder-changes.js';
import { books } from '../support/books.js';
import { run as runCommand } from '../support/cli.js';
import { storeFinishedBatches } from '../support/stored-batches.js';

const LINES = 300;

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A data folder with two finished batches whose lines were charged, and `decider verify` on it. */
async function verified(t: Test) {
  const { store, data, run } = books(t);
  const sealer = new Sealer(store, '');
  createWorkspace(store, systemClock, 'w');
  grantCredit(store, systemClock, 'w', 1_000_000n);
  const { key } = createKey(store, systemClock, 'w');
  const now = systemClock.now();
  const owner = { key: key.id, workspace: 'w' };
  const ids = await storeFinishedBatches(store, sealer, {
    ...owner,
    count: 2,
    lines: LINES,
    resultBytes: 80,
    now,
  });
  const usage = (requests: number) =>
    store.table('usage').write(['w', '2026-11-22', key.id, 'decider-g-12b', 'batch', '0'], {
      requests,
      inputTokens: 0,
      amount: '0',
    });
  await store.write([usage(2 * LINES)]);
  const verify = async () => {
    const { code, stdout, stderr } = await run('verify', '--json');
    t.equal(stderr, '');
    const findings = JSON.parse(stdout) as Finding[];
    const problems = findings.filter(({ ok }) => !ok);
    t.equal(code, problems.length === 0 ? 0 : 1);
    return { findings, problems: problems.map(({ check, detail }) => `${check}: ${detail}`) };
  };
  const [id] = ids as [string];
  return { store, data, run, id, key: key.id, usage, verify };
}

const raw = (table: TableName, key: Uint8Array, value: Buffer | null): RawWrite => ({ table, key, value });

/** A copy with another byte at one place. */
function changedAt(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}

test('verify: an intact folder has no problem, and the text names what was read', async (t) => {
  const { verify, run } = await verified(t);
  const { findings, problems } = await verify();
  t.strictSame(problems, []);
  t.strictSame(
    findings.map(({ check }) => check),
    ['tables', 'lists', 'master key', 'batches', 'tasks', 'ledger'],
  );
  const { code, stdout } = await run('verify');
  t.equal(code, 0);
  t.match(stdout, /^ok {7}batches {7}2 batches, 600 lines$/m);
});

test('verify: every kind of damage is found, and named', async (t) => {
  const { store, id, key, usage, verify } = await verified(t);
  const table = <Name extends TableName>(name: Name) => store.table(name);
  const batch = table('batches').get(id);
  if (batch === undefined) throw new Error('the batch is missing');
  const result = table('batch_results').get(id, 7) as Buffer;
  const cases: ReadonlyArray<readonly [expected: RegExp, damage: RawWrite, repair: RawWrite]> = [
    [
      /^tables: The value x of the table workspaces is damaged\.$/,
      raw('workspaces', table('workspaces').key('x'), Buffer.from('{}')),
      table('workspaces').write(['x'], null),
    ],
    [
      /^tables: The key 6f of the table digests is damaged\.$/,
      raw('digests', Buffer.from('o'), Buffer.from('"k"')),
      raw('digests', Buffer.from('o'), null),
    ],
    [
      /^batches: \S+: 299 lines are answered, and 300 are counted\.$/,
      table('batch_results').write([id, 7], null),
      table('batch_results').write([id, 7], result),
    ],
    [
      /^batches: \S+: The sealed value batch_\S+\/7 of the table batch_results is damaged/,
      table('batch_results').write([id, 7], changedAt(result, 20)),
      table('batch_results').write([id, 7], result),
    ],
    [
      /^batches: \S+: 300 lines are answered, and 299 are counted\.$/,
      table('batches').write([id], { ...batch, done: 299, failed: 1 }),
      table('batches').write([id], batch),
    ],
    [
      /^batches: \S+: it has the ids of 300 of 301 lines\.$/,
      table('batches').write([id], { ...batch, lines: 301, failed: 1 }),
      table('batches').write([id], batch),
    ],
    [
      /^batches: \S+: number \d+ of key_\S+ is missing or another batch\.$/,
      table('batch_order').write([key, batch.number], null),
      table('batch_order').write([key, batch.number], id),
    ],
    [
      /^batches: batch_lines batch_other: there is no such batch\.$/,
      table('batch_lines').write(['batch_other', 0], Buffer.from('x')),
      table('batch_lines').write(['batch_other', 0], null),
    ],
    [
      /^batches: key_\S+: 600 lines of its batches are answered, and 599 were charged\.$/,
      usage(2 * LINES - 1),
      usage(2 * LINES),
    ],
    [
      /^batches: \S+: The sealed value batch_\S+ of the table data_keys is damaged/,
      table('data_keys').write([id], randomBytes(60)),
      table('data_keys').write([id], table('data_keys').get(id) as Buffer),
    ],
    [
      /^ledger: workspace w: sum of grants against credit granted: 0\.00 is not 0\.000001\.$/,
      table('grants').write(['w', 0], null),
      table('grants').write(['w', 0], table('grants').get('w', 0) ?? null),
    ],
  ];
  for (const [expected, damage, repair] of cases) {
    await store.write([damage]);
    const { problems } = await verify();
    t.ok(
      problems.some((each) => expected.test(each)),
      `${expected}: ${problems.join('\n')}`,
    );
    await store.write([repair]);
  }
  t.strictSame((await verify()).problems, []);
});

test('verify: a wrong master key is one problem, and the other checks still run', async (t) => {
  const { data, verify } = await verified(t);
  writeFileSync(join(data, 'master.key'), '0'.repeat(64), { mode: 0o600 });
  const { findings, problems } = await verify();
  t.equal(problems.length, 1);
  t.match(problems[0], /^master key: The master key is not the one/);
  t.ok(findings.some(({ check, ok }) => check === 'ledger' && ok));
});

test('verify: at most 100 problems of a check are printed, and the rest are counted', async (t) => {
  const { store, verify } = await verified(t);
  const damaged = (count: number) =>
    Array.from({ length: count }, (_, at) => raw('digests', Buffer.from(`d${at}\0`), Buffer.from('{')));
  await store.write(damaged(100));
  t.equal((await verify()).problems.length, 100);
  await store.write(damaged(101));
  const { problems } = await verify();
  t.equal(problems.length, 101);
  t.equal(problems.at(-1), 'tables: 1 more');
});

test('verify: a folder of an older format is refused and not upgraded', async (t) => {
  const data = join(t.testdir(), 'data');
  await openStore(data, FORMAT - 1).close();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { code, stderr } = await runCommand(t, ['verify'], { DECIDER_DATA: data });
    t.equal(code, 1);
    t.match(stderr, new RegExp(`has the older format ${FORMAT - 1}, and this program reads ${FORMAT}\\.`));
  }
});
