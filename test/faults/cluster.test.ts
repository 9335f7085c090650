// Three nodes over one PostgreSQL database: credit that is shared to the last request, kills of nodes and of the database.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Test, test } from 'tap';
import { showAmount } from '../../src/access/index.js';
import { statement } from '../../src/storage/database/index.js';
import { Cluster, type ClusterNode } from '../support/faults/cluster.js';
import {
  BATCH_LINES,
  ClusterLoad,
  decideCertainlyOn,
  decideOn,
  headersOf,
  undisturbedResults,
} from '../support/faults/cluster-load.js';
import { connectTo, NEEDS_POSTGRES } from '../support/postgres.js';
import { type Random, random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { until } from '../support/until.js';

const NODES = 3;
const KILLS = scaled({ short: 3, long: 6 }, 'KILLS');
const RESTARTS = scaled({ short: 1, long: 2 }, 'RESTARTS');
/** Requests that the credit covers; three times as many are sent. */
const COVERED = scaled({ short: 60, long: 600 });
/** Between two faults, in milliseconds. */
const PAUSE_MS_MAX = 1_500;
/** The database is down for up to this many milliseconds: fewer than a session lasts. */
const DOWN_MS_MAX = 1_500;
const SESSIONS = statement('test-sessions', 'SELECT id FROM nodes');
/** Units per token at the default prices. */
const PRICES = { live: 1_500n, batch: 750n };

interface Kill {
  readonly node: ClusterNode;
  readonly life: number;
  /** Answers from here on may not have been charged. */
  readonly since: number;
}

const sum = (values: readonly number[]) => BigInt(values.reduce((total, value) => total + value, 0));

/** Credit for N requests answers exactly N, on whichever nodes. */
async function spendExactly(t: Test, cluster: Cluster): Promise<void> {
  const [first] = cluster.nodes as [ClusterNode];
  const probe = await decideOn(first, cluster.token);
  const { input_tokens: tokens } = JSON.parse(probe?.text ?? '').usage as { input_tokens: number };
  await cluster.command('workspaces', 'create', 'exact');
  const credit = showAmount(BigInt(tokens * COVERED) * PRICES.live);
  await cluster.command('workspaces', 'credit', 'exact', credit);
  const { token } = (await cluster.command('keys', 'create', '--workspace', 'exact')) as { token: string };
  for (const node of cluster.nodes) await until(async () => (await knows(node, token)) === 200);
  const asked = await Promise.all(
    Array.from({ length: COVERED * 3 }, (_, at) =>
      decideCertainlyOn(cluster.nodes[at % cluster.nodes.length] as ClusterNode, token),
    ),
  );
  const count = (status: number) => asked.filter((each) => each?.status === status).length;
  t.equal(count(200), COVERED);
  t.equal(count(402), COVERED * 2);
}

/** The status of a call that costs nothing. */
const knows = async (node: ClusterNode, token: string) =>
  (await node.ask('/v1/limits', { headers: headersOf(token) }))?.status;

/** A moment: the charges of all that the node has answered before are in the database. It shows credit only then. */
async function writtenMoment(node: ClusterNode, token: string): Promise<number> {
  let moment = 0;
  await until(async () => {
    moment = performance.now();
    return (await knows(node, token)) === 200;
  });
  return moment;
}

/** A new key works on a node that did not make it; once revoked, on none. */
async function changeKeys(t: Test, cluster: Cluster): Promise<void> {
  const { id, token } = await cluster.command('keys', 'create', '--workspace', 'default');
  const [node] = cluster.ready;
  if (node !== undefined) await until(async () => !node.isReady || (await knows(node, token)) === 200);
  await cluster.command('keys', 'revoke', id);
  for (const each of cluster.ready)
    await until(async () => !each.isReady || (await knows(each, token)) === 401);
  t.pass(`${id} was made and revoked`);
}

/** Kills nodes and restarts the database at random. Returns the kills. */
async function breakThings(t: Test, cluster: Cluster, next: Random): Promise<Kill[]> {
  const kills: Kill[] = [];
  const starts: Promise<void>[] = [];
  const faults = [...Array(KILLS).fill('kill'), ...Array(RESTARTS).fill('restart')];
  while (faults.length > 0) {
    const [fault] = faults.splice(next.integer(faults.length), 1);
    await sleep(next.integer(PAUSE_MS_MAX));
    if (fault === 'restart') {
      await cluster.server.stop(next.integer(2) === 0 ? 'kill' : 'immediate');
      await sleep(next.integer(DOWN_MS_MAX));
      await cluster.server.start();
      continue;
    }
    await until(() => cluster.ready.length >= 2);
    const node = cluster.ready[next.integer(cluster.ready.length)] as ClusterNode;
    kills.push({ node, life: node.lives, since: await writtenMoment(node, cluster.token) });
    await node.kill();
    starts.push(node.start());
    await changeKeys(t, cluster);
  }
  await Promise.all(starts);
  return kills;
}

test(`${NODES} nodes over one database`, NEEDS_POSTGRES, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const next = random(seed);
  const cluster = await Cluster.start(t, NODES);
  await spendExactly(t, cluster);
  const undisturbed = await undisturbedResults(cluster);
  const lines = undisturbed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.strictSame(
    lines.map(({ custom_id, status }) => [custom_id, status]),
    Array.from({ length: BATCH_LINES }, (_, at) => [`line-${at}`, 200]),
  );
  const batchTokens = sum(lines.map(({ usage }) => usage.input_tokens));

  const load = new ClusterLoad(cluster, next);
  t.teardown(() => load.abandon());
  const kills = await breakThings(t, cluster, next);
  await load.stop();
  const results = await load.results();
  t.strictSame([...results.keys()].sort(), [...load.batches].sort(), 'each submission made one batch');
  for (const [id, text] of results)
    t.equal(text, undisturbed, `${id} has the bytes of the undisturbed batch`);

  const database = connectTo(t, cluster.databaseUrl);
  // The sessions of killed nodes have expired: a cluster that is stopped ends none.
  await until(async () => (await database.query(SESSIONS)).length === NODES);
  for (const node of cluster.nodes) t.equal((await node.stop()).code, 0, `${node.name} stops`);
  const rows = await database.query<Record<'kind' | 'requests' | 'tokens' | 'amount', string>>(
    statement(
      'test-usage',
      `SELECT kind, sum(requests)::text AS requests, sum(input_tokens)::text AS tokens, sum(amount)::text AS amount
      FROM usage WHERE workspace = 'default' GROUP BY kind`,
    ),
  );
  const usage = (kind: string) => rows.find((row) => row.kind === kind);
  t.equal(usage('batch')?.requests, String(results.size * BATCH_LINES), 'each line is charged once');
  t.equal(usage('batch')?.amount, String(BigInt(results.size) * batchTokens * PRICES.batch));

  const one = load.answered[0]?.tokens ?? 0;
  const charged = BigInt(usage('live')?.tokens ?? 0);
  const answered = sum(load.answered.map(({ tokens }) => tokens));
  const uncertain = load.answered.filter(({ node, life, at }) =>
    kills.some((kill) => kill.node === node && kill.life === life && at > kill.since),
  );
  const least = answered - sum(uncertain.map(({ tokens }) => tokens));
  t.ok(charged >= least, `${charged} tokens charged, ${least} answered and written before the kills`);
  // And the request that measured the price.
  const most = answered + BigInt((load.unanswered + 1) * one);
  t.ok(
    charged <= most,
    `${charged} tokens charged, ${answered} answered, ${load.unanswered} requests without an answer`,
  );
  t.ok(
    load.answered.length > KILLS * 10,
    `${load.answered.length} requests and ${results.size} batches answered`,
  );

  const leases = statement(
    'test-leases',
    `SELECT (SELECT count(*) FROM credit_leases WHERE amount <> 0)::int AS leases, (SELECT count(*) FROM nodes)::int AS nodes,
      (SELECT count(*) FROM batch_chunks)::int AS chunks, (SELECT sum(leased) FROM accounts)::text AS leased`,
  );
  t.strictSame(await database.query(leases), [{ leases: 0, nodes: 0, chunks: 0, leased: '0' }]);
  const findings = (await cluster.command('doctor')) as { check: string; ok: boolean }[];
  t.equal(findings.find(({ check }) => check === 'ledger')?.ok, true);
});
