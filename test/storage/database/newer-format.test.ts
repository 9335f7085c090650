import { test } from 'tap';
import { type Database, statement } from '../../../src/storage/database/index.js';
import type { Transaction } from '../../../src/storage/database/postgres/database.js';
import { DATABASE_FORMAT } from '../../../src/storage/database/postgres/schema/migrations.js';
import { endOlderSessions } from '../../../src/storage/database/session/reaper.js';
import { freePort } from '../../support/free-port.js';
import { startNode } from '../../support/node-server.js';
import { NEEDS_POSTGRES, newDatabase } from '../../support/postgres.js';
import { dataFolder, modelsFolder } from '../../support/server.js';
import { until } from '../../support/until.js';

const OPERATOR_TOKEN = 'op_'.padEnd(40, 'x');
const QUESTIONS = { q: { type: 'noul', instructions: 'Is it?' } };
const line = (id: number) =>
  JSON.stringify({ custom_id: `l${id}`, model: 'tiny', state: `s${id}`, questions: QUESTIONS });
/** Where a node notes times and counts of requests that matter for seconds, and what the test writes. */
const NOT_WATCHED = ['calendar', 'request_rates', 'written'];

/** What is wrong, and what to do. */
const REASON =
  /The database has format \d+, and this version of decider supports .* Install the version that/;

const run = (sql: Transaction | Database, text: string) => sql.query<{ name: string }>(statement('', text));

/** Makes the database note the name of every table that is written. */
async function watchWrites(sql: Transaction): Promise<void> {
  await run(sql, 'CREATE TABLE written (name text)');
  await run(
    sql,
    `CREATE FUNCTION written() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN INSERT INTO written VALUES (TG_TABLE_NAME || ' ' || TG_OP); RETURN NULL; END $$`,
  );
  for (const { name } of await run(
    sql,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  ))
    if (!NOT_WATCHED.includes(name))
      await run(
        sql,
        `CREATE TRIGGER written AFTER INSERT OR UPDATE OR DELETE ON ${name}
          FOR EACH ROW EXECUTE FUNCTION written()`,
      );
}

test('a node that has hung during a migration writes nothing', NEEDS_POSTGRES, async (t) => {
  const { url, database } = await newDatabase(t);
  const node = await startNode(t, url, modelsFolder(dataFolder(t)), {
    DECIDER_OPERATOR_PORT: String(await freePort()),
    DECIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
  });
  const call = async (method: string, path: string, body?: string) => {
    const isOperator = path.startsWith('/api/') || path === '/ready';
    const headers = {
      authorization: isOperator ? `Bearer ${OPERATOR_TOKEN}` : node.headers.authorization,
      'content-type': path === '/v1/batches' ? 'application/jsonl' : 'application/json',
    };
    const init = body === undefined ? { method, headers } : { method, headers, body };
    const response = await fetch(`${isOperator ? node.operatorUrl : node.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, text, request: response.headers.get('x-request-id') };
  };
  const task = JSON.stringify({ questions: QUESTIONS });
  t.equal((await call('PUT', '/v1/tasks/t', task)).status, 200);
  const { request } = await call('POST', '/v1/tasks/t/decide', JSON.stringify({ state: 'x' }));
  const sent = await call(
    'POST',
    '/v1/batches',
    Array.from({ length: 2_000 }, (_, at) => line(at)).join('\n'),
  );
  const { id: batch } = JSON.parse(sent.text) as { id: string };
  const status = async () => JSON.parse((await call('GET', `/v1/batches/${batch}`)).text).status;
  await until(async () => (await status()) === 'running');
  const key = JSON.parse((await call('GET', '/api/keys')).text).keys[0].id;
  // Answers of the task, charges and uses of keys are stored.
  await until(async () => (await run(database, 'SELECT key AS name FROM key_uses')).length > 0);
  await until(async () => (await run(database, 'SELECT task AS name FROM task_answers')).length > 0);

  await database.transaction(async (sql) => {
    await run(sql, 'SELECT id FROM service FOR UPDATE');
    await run(sql, 'UPDATE nodes SET expires = 0');
    t.strictSame(await endOlderSessions(sql, DATABASE_FORMAT, DATABASE_FORMAT + 1), []);
    await run(sql, 'UPDATE service SET format = format + 1');
    await watchWrites(sql);
  });

  const label = JSON.stringify({ request_id: request, expected: { q: true } });
  const calls: readonly [method: string, path: string, body?: string][] = [
    ['POST', '/v1/batches', line(1)],
    ['POST', `/v1/batches/${batch}/cancel`, ''],
    ['PUT', '/v1/tasks/new', task],
    ['PUT', '/v1/tasks/t', JSON.stringify({ questions: QUESTIONS, model: 'tiny' })],
    ['POST', '/v1/tasks/t/labels', label],
    ['POST', '/v1/tasks/t/promote', ''],
    ['DELETE', '/v1/tasks/t'],
    ['POST', '/v1/decide', JSON.stringify({ state: 'x', questions: QUESTIONS })],
    ['POST', '/v1/tasks/t/decide', JSON.stringify({ state: 'y' })],
    ['POST', '/api/keys', JSON.stringify({ workspace: 'default' })],
    ['POST', '/api/workspaces', JSON.stringify({ id: 'w' })],
    ['POST', '/api/workspaces/default/grants', JSON.stringify({ amount: '1' })],
    ['POST', `/api/keys/${key}/revoke`, ''],
    ['POST', `/api/batches/${batch}/cancel`, ''],
    ['POST', `/api/batches/${batch}/erase`, ''],
  ];
  for (const [method, path, body] of calls) {
    const reply = await call(method, path, body);
    t.equal(reply.status, 503, `${method} ${path}: ${reply.text}`);
    t.match(reply.text, REASON, `${method} ${path}`);
  }
  const ready = await call('GET', '/ready');
  t.match(ready, { status: 503 });
  t.match(JSON.parse(ready.text), { reasons: [REASON] });
  // Once the copy of the keys is old, callers read nothing either.
  await until(async () => (await call('GET', '/v1/limits')).status === 503);
  for (const path of ['/v1/limits', '/v1/tasks', '/v1/batches', '/health'])
    t.match(await call('GET', path), { status: 503, text: REASON }, path);
  t.strictSame(await run(database, 'SELECT DISTINCT name FROM written'), []);
});
