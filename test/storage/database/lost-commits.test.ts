// Writes whose COMMIT gets no answer: what is answered must be what happened.
import { type Test, test } from 'tap';
import { statement } from '../../../src/storage/database/index.js';
import { changeOf, storedFacts } from '../../support/cluster/stored-facts.js';
import { type Write, Writes } from '../../support/cluster/writes.js';
import { onDatabase, startNode } from '../../support/node-server.js';
import { operatorSettings } from '../../support/operator.js';
import { NEEDS_POSTGRES, newDatabase, postgres } from '../../support/postgres.js';
import { random, seedFromEnvironment } from '../../support/random.js';
import { LONG, scaled } from '../../support/scale.js';
import { dataFolder, modelsFolder } from '../../support/server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';

const ROUNDS = scaled({ short: 1, long: 5 });
/** For how long the database stays away after a lost COMMIT, in milliseconds. */
const AWAY_MS_MAX = LONG ? 3_000 : 300;
const DELAY_MS_MAX = 20;
const LOST = ['not sent', 'not answered', 'late', null] as const;

/** A node and commands whose way to the database loses COMMITs. */
async function behindProxy(t: Test, seed: number) {
  const { url, database } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const proxied = url.replace(/:\d+\//, `:${proxy.port}/`);
  const operator = await operatorSettings();
  const node = await startNode(t, proxied, modelsFolder(dataFolder(t)), operator);
  const places = {
    url: node.url,
    operatorUrl: `http://127.0.0.1:${operator.DECIDER_OPERATOR_PORT}`,
    headers: node.headers,
    settings: onDatabase(proxied),
    workspace: 'default',
  };
  const writes = new Writes(t, places, random(seed));
  await writes.prepare();
  return { database, proxy, node, writes };
}

const seed = seedFromEnvironment();

test(`every write of every interface, seed ${seed}`, NEEDS_POSTGRES, async (t) => {
  const next = random(seed);
  const { database, proxy, writes, node } = await behindProxy(t, seed);
  const seen = new Set<string>();
  let dealt = next.integer(LOST.length);
  const make = async (write: Write) => {
    // In turn, so that every run has all of them.
    const how = LOST[dealt++ % LOST.length] as (typeof LOST)[number];
    const before = await storedFacts(database);
    proxy.delay(next.integer(2) === 0 ? 0 : next.integer(DELAY_MS_MAX));
    const awayMs = next.integer(4) === 0 ? next.integer(AWAY_MS_MAX) + 1 : 0;
    proxy.loseCommit(how, { after: write.statement, awayMs });
    const { answered, text } = await write.make();
    const lost = how !== null && !proxy.mayLoseCommit;
    proxy.loseCommit(null);
    const change = changeOf(before, await storedFacts(database));
    const told = `${write.name}, ${how}, away ${awayMs} ms: ${text}`;
    if (answered === 'done') t.ok(write.changes.includes(change), `${told}, and changed ${change}`);
    else t.equal(change, '', `${told}: nothing is changed`);
    t.not(answered, 'may', `${told}: the database was there to tell`);
    if (lost && how !== 'not sent' && write.name !== 'cancel') t.equal(answered, 'done', told);
    if (lost) seen.add(`${write.name.split(' ')[0]} ${how}`);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const write of writes.all()) {
      await make(write);
      // After an outage the node must know its session and its keys again.
      await until(
        async () => (await fetch(`${node.url}/v1/batches`, { headers: node.headers })).status === 200,
      );
    }
  }
  t.ok(seen.size > 3, `losses: ${[...seen].join(', ')}`);
});

test('while nobody can tell, a write is answered 502', NEEDS_POSTGRES, async (t) => {
  const { database, proxy, writes, node } = await behindProxy(t, 1);
  const sql = (text: string) => database.execute(statement('', text));
  // Both make the look-up of a transaction fail, with errors that no repetition cures.
  await sql('CREATE TABLE allowed AS SELECT 0 AS batches');
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM batches) > (SELECT batches FROM allowed) THEN RAISE 'refused'; END IF;
    RETURN NEW; END $$`);
  await sql(`CREATE FUNCTION exceed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE service SET changes = 2::numeric ^ 60; RETURN NEW; END $$`);
  await sql('CREATE TRIGGER refuse BEFORE INSERT ON batch_numbers FOR EACH ROW EXECUTE FUNCTION refuse()');
  const submit = (headers: Record<string, string> = {}) =>
    fetch(`${node.url}/v1/batches`, {
      method: 'POST',
      headers: { ...node.headers, 'content-type': 'application/jsonl', ...headers },
      body: JSON.stringify({ custom_id: 'l', model: 'tiny', state: 'x', questions: { q: { type: 'noul' } } }),
    });
  for (const [headers, retry] of [
    [{}, 'false'],
    [{ 'idempotency-key': 'once' }, null],
  ] as const) {
    await sql('UPDATE allowed SET batches = (SELECT count(*) FROM batches)');
    proxy.loseCommit('not answered', { after: 'batch-insert' });
    const response = await submit(headers);
    const body = (await response.json()) as { error: string; type: string };
    t.equal(response.status, 502, JSON.stringify(body));
    t.match(body, {
      type: 'outcome_unknown',
      error: /whether the batch batch_\w{24} was stored\. .*X-Request-Id/,
    });
    t.ok(response.headers.get('x-request-id'));
    t.equal(response.headers.get('x-should-retry'), retry, 'a client repeats it only if that is safe');
    const [id = ''] = /batch_\w{24}/.exec(body.error) ?? [];
    t.match(await storedFacts(database), new Set([`batch ${id}`]));
    t.ok(
      node.lines.some((line) => line.includes(id) && line.includes('CommitUnknown')),
      'the log has it',
    );
    if (retry === null) t.equal(((await (await submit(headers)).json()) as { id: string }).id, id);
  }
  for (const [name, table] of [
    ['operator: grant', 'grants'],
    ['decider workspaces credit', 'grants'],
  ]) {
    const { changes } = (
      await database.query<{ changes: number }>(statement('', 'SELECT changes FROM service'))
    )[0] as { changes: number };
    await sql(`CREATE TRIGGER exceed AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION exceed()`);
    const write = writes.all().find((each) => each.name === name) as Write;
    proxy.loseCommit('not answered', { after: write.statement });
    const { answered, text } = await write.make();
    t.equal(answered, 'may', text);
    t.match(text, /The change may have been made or not\. Look at .*audit/);
    await sql(`DROP TRIGGER exceed ON ${table}`);
    await sql(`UPDATE service SET changes = ${changes + 1}`);
  }
});
