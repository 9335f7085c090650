import { test } from 'tap';
import { CHANGES } from '../../../src/access/index.js';
import { newestBatches } from '../../../src/storage/database/batches/tables/newest.js';
import { type Database, DatabaseAdministration, statement } from '../../../src/storage/database/index.js';
import { freePort } from '../../support/free-port.js';
import { startNode } from '../../support/node-server.js';
import { connectTo, NEEDS_POSTGRES, newDatabase, PostgresServer, postgres } from '../../support/postgres.js';
import { scaled } from '../../support/scale.js';
import { dataFolder, modelsFolder, startTestServer, testDependencies } from '../../support/server.js';
import { until } from '../../support/until.js';

/** Requests that the credit of a workspace covers, and twice as many that are sent. */
const COVERED = scaled({ short: 20, long: 500 });
const LINES = scaled({ short: 30, long: 1_000 });

/** The price of the tiny model per token, in 10⁻¹² of the currency. */
const TOKEN_PRICE = 1_500n;

const OPERATOR_TOKEN = 'op_'.padEnd(40, 'x');

const QUESTION = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } };

type Node = Awaited<ReturnType<typeof startNode>>;

const administrationOf = (database: Database) => new DatabaseAdministration(database, 'test');

const count = async (database: Database, text: string): Promise<number> => {
  const [row] = await database.query<{ count: number }>(statement('', text));
  return row?.count ?? -1;
};

/** Sends the question with a header `Authorization`. */
const ask = (node: Pick<Node, 'url'>, authorization: string) =>
  fetch(`${node.url}/v1/decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify(QUESTION),
  });

test('two nodes over one database', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const administration = administrationOf(database);
  const models = modelsFolder(dataFolder(t));
  const nodes = await Promise.all([startNode(t, url, models), startNode(t, url, models)]);
  const [one, other] = nodes;
  const tokens = nodes.map(({ headers }) => headers.authorization).filter((token) => token !== 'Bearer ');
  const [first] = tokens as [string];

  await t.test(
    'of two that start at once on an empty database, one makes a key; both accept it',
    async (t) => {
      t.equal(tokens.length, 1);
      t.match(await administration.listWorkspaces(), [{ id: 'default', granted: 100n * 10n ** 12n }]);
      for (const node of nodes) await until(async () => (await ask(node, first)).status === 200);
    },
  );

  await t.test('a revoked key stops working on both', async (t) => {
    const { key, token } = await administration.change(CHANGES.createKey('default'));
    for (const node of nodes) await until(async () => (await ask(node, `Bearer ${token}`)).status === 200);
    await administration.change(CHANGES.revokeKey(key.id));
    for (const node of nodes) await until(async () => (await ask(node, `Bearer ${token}`)).status === 401);
    t.equal((await ask(nodes[0] as Node, first)).status, 200, 'another key still works');
  });

  await t.test('a batch that was sent to one is shown and fetched from the other', async (t) => {
    const headers = { authorization: first, 'content-type': 'application/json' };
    const body = Array.from({ length: LINES }, (_, at) =>
      JSON.stringify({ custom_id: `l${at}`, model: 'tiny', ...QUESTION }),
    ).join('\n');
    const sent = await fetch(`${one.url}/v1/batches`, { method: 'POST', headers, body });
    const answer = (await sent.json()) as { id: string };
    t.equal(sent.status, 200, JSON.stringify(answer));
    const { id } = answer;
    const show = async () =>
      (await (await fetch(`${other.url}/v1/batches/${id}`, { headers })).json()) as {
        results_available: boolean;
      };
    await until(async () => (await show()).results_available);
    const results = await (await fetch(`${other.url}/v1/batches/${id}/results`, { headers })).text();
    t.equal(results.trim().split('\n').length, LINES);
    const newest = (filter: object) => newestBatches(database, { limit: 10, ...filter });
    t.match(await newest({ workspace: 'default', state: 'done' }), { batches: [{ id }], more: false });
    t.strictSame(await newest({ state: 'failed' }), { batches: [], more: false });
    t.strictSame(await newest({ workspace: 'w' }), { batches: [], more: false });
    t.strictSame(await newest({ limit: 0 }), { batches: [], more: true });
  });

  await t.test('credit for some requests answers exactly these; a stop returns what is leased', async (t) => {
    const { usage } = (await (await ask(one, first)).json()) as { usage: { input_tokens: number } };
    const cost = TOKEN_PRICE * BigInt(usage.input_tokens);
    await administration.change(CHANGES.createWorkspace('w'));
    await administration.change(CHANGES.grantCredit('w', cost * BigInt(COVERED)));
    const { token } = await administration.change(CHANGES.createKey('w'));
    const headers = { authorization: `Bearer ${token}` };
    for (const node of nodes) {
      await until(async () => (await fetch(`${node.url}/v1/limits`, { headers })).status === 200);
    }
    const replies = await Promise.all(
      Array.from({ length: 2 * COVERED }, (_, at) => ask(at % 2 === 0 ? one : other, headers.authorization)),
    );
    const statuses = replies.map(({ status }) => status);
    const answered = () => statuses.filter((status) => status === 200).length;
    // On a busy machine, so many may find the queue full that the credit is not used up.
    await until(async () => {
      const { status } = await ask(one, headers.authorization);
      statuses.push(status);
      return status === 402 && answered() >= COVERED;
    });
    t.equal(answered(), COVERED);
    t.ok(
      statuses.every((status) => [200, 402, 503].includes(status)),
      `${new Set(statuses)}`,
    );
    await Promise.all([one.stop(), other.stop()]);
    t.match(await administration.balance(await administration.getWorkspace('w')), { balance: 0n });
    t.strictSame((await administration.reconcile()).problems, []);
    t.equal(await count(database, 'SELECT count(*)::int AS count FROM nodes'), 0);
    t.equal(await count(database, 'SELECT count(*)::int AS count FROM credit_leases'), 0);
    t.equal(await count(database, 'SELECT sum(leased)::int AS count FROM accounts'), 0);
  });
});

test(
  'without its database a node answers 503 and stays; it serves again when the database is back',
  NEEDS_POSTGRES,
  async (t) => {
    const server = await PostgresServer.create();
    t.teardown(() => server.remove());
    const url = await server.createDatabase();
    const node = await startNode(t, url, modelsFolder(dataFolder(t)), {
      DECIDER_OPERATOR_PORT: String(await freePort()),
      DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
    });
    const operator = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${node.operatorUrl}${path}`, { headers, ...sent });
      return { status: response.status, json: await response.json() };
    };
    t.match(await operator('/ready'), { status: 200, json: { ready: true } });
    t.match(await operator('/status'), { json: { store: { database: { nodes: 1 } } } });
    const made = (await operator('/api/keys', { workspace: 'default' })).json as { token: string };
    t.equal((await ask(node, `Bearer ${made.token}`)).status, 200, 'a new key works at once');
    t.match(await operator('/api/audit'), { json: { entries: [{ action: 'key.create' }] } });
    t.match(await operator('/api/batches'), { json: { batches: [], more: false } });
    const token = node.headers.authorization;
    t.equal((await ask(node, token)).status, 200);
    await server.stop('kill');
    await until(async () => (await ask(node, token)).status === 503);
    // The models and the process stay.
    await until(async () => {
      const refused = await ask(node, token);
      if (refused.status !== 503) return false;
      t.equal(refused.headers.get('retry-after'), '1');
      t.match(await refused.json(), { type: 'overloaded' });
      return true;
    });
    t.equal((await fetch(`${node.url}/health`)).status, 503);
    const { status, json } = await operator('/ready');
    t.equal(status, 503);
    t.match(json, { reasons: ['The server cannot reach its database.', String] });
    t.match(await operator('/api/keys', { workspace: 'default' }), { json: { type: 'data_unavailable' } });
    await server.start();
    await until(async () => (await ask(node, token)).status === 200);
    t.equal((await fetch(`${node.url}/health`)).status, 200);
    await node.stop();
    const database = connectTo(t, url);
    t.equal(await count(database, 'SELECT count(*)::int AS count FROM credit_leases'), 0);
    t.strictSame((await administrationOf(database).reconcile()).problems, []);
  },
);

test(
  'a node refuses to start with another master key, without tables, and in place of a folder with data',
  NEEDS_POSTGRES,
  async (t) => {
    const { url } = await newDatabase(t);
    const models = modelsFolder(dataFolder(t));
    const data = dataFolder(t);
    const folder = await startTestServer(t, { DECIDER_DATA: data }, models);
    const own = testDependencies().dependencies;
    await t.rejects(startNode(t, url, models, { DECIDER_DATA: data }, own), {
      name: 'StoreError',
      message: /is served by process/,
    });
    await folder.stop();
    await t.rejects(startNode(t, url, models, { DECIDER_DATA: data }, own), {
      name: 'StartError',
      message: /is empty, and the data folder .* has data\. Copy it \(decider store move/,
    });
    const node = await startNode(t, url, models);
    await t.rejects(startNode(t, url, models, { DECIDER_MASTER_KEY: 'cd'.repeat(32) }, own), {
      message: /^The master key is not the one that the database was encrypted with/,
    });
    const bare = await (await postgres()).createDatabase(false);
    await t.rejects(startNode(t, bare, models, {}, own), {
      message: 'The database in store.url has no tables. Run: decider store migrate',
    });
    await t.rejects(startNode(t, `postgres://user:secret@127.0.0.1:${await freePort()}/d`, models, {}, own), {
      name: 'StartError',
      message: /^The database server in store\.url does not accept connections \(ECONNREFUSED\)\.$/,
    });
    await t.rejects(node.rekey(null), { message: 'The master key of a database cannot be changed.' });
  },
);
