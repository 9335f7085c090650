// What the operator is answered while the database is slow: 200 or 503, and what happened.
import { type Test, test } from 'tap';
import { changeOf, storedFacts } from '../../support/cluster/stored-facts.js';
import { startNode } from '../../support/node-server.js';
import { operatorSend, operatorSettings } from '../../support/operator.js';
import { NEEDS_POSTGRES, newDatabase, postgres } from '../../support/postgres.js';
import { LONG } from '../../support/scale.js';
import { dataFolder, modelsFolder } from '../../support/server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';

/** Longer than the client waits for a statement, in milliseconds. */
const SILENT_MS = 13_000;
/** The statements of a grant, in their order. */
const STATEMENTS = LONG
  ? ['workspace-find', 'BEGIN', 'change-next', 'change-mark', 'workspace-grant', 'audit-add', 'COMMIT\0']
  : ['workspace-grant', 'COMMIT\0'];

/** What is answered if the database falls silent at a statement, and what was changed. Everything is its own. */
async function silentAt(t: Test, name: string) {
  const { url, database } = await newDatabase(t);
  const proxy = await TcpProxy.start(t, (await postgres()).port);
  const operator = await operatorSettings();
  const proxied = url.replace(/:\d+\//, `:${proxy.port}/`);
  await startNode(t, proxied, modelsFolder(dataFolder(t)), operator);
  const grant = async () => {
    const address = `http://127.0.0.1:${operator.DECIDER_OPERATOR_PORT}`;
    const response = await operatorSend(address, 'POST', '/api/workspaces/default/grants', { amount: '7' });
    return { status: response.status, text: await response.text() };
  };
  await until(async () => (await grant()).status === 200);
  const before = await storedFacts(database);
  proxy.pauseAt(name);
  const answer = grant();
  await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
  proxy.resume();
  return { ...(await answer), change: changeOf(before, await storedFacts(database)) };
}

test('a grant during which the database falls silent is answered as it was made', {
  ...NEEDS_POSTGRES,
  timeout: 600_000,
}, async (t) => {
  // At the same time: most of it is waiting.
  const found = await Promise.all(STATEMENTS.map(async (name) => ({ name, ...(await silentAt(t, name)) })));
  for (const { name, status, text, change } of found) {
    const told = `${name.replace('\0', '')}: ${status} ${text}`;
    const expected = status === 200 ? '+audit +grant +granted -granted' : '';
    t.equal(change, expected, told);
    t.ok([200, 503].includes(status), told);
  }
});
