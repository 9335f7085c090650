import { setTimeout as sleep } from 'node:timers/promises';
import { showAmount } from '../../../src/access/index.js';
import type { ClusterNode } from '../../support/faults/cluster.js';
import { OPERATOR_TOKEN } from '../../support/operator.js';
import { until } from '../../support/until.js';
import { call, callerHeaders, type Outcome, statusOf } from './call.js';
import type { Reference } from './references.js';
import type { Traffic } from './traffic.js';

const WORKSPACE = 'exact';
const COVERED = 10;
const SENT = 30;
/** Units per token at the default price of live requests. */
const PRICE = 1_500n;
/** Where the database does not answer in time, as on a busy machine, nothing is done and nothing is charged. */
const UNAVAILABLE = 503;
const RETRY_MS = 300;
const PATIENCE_MS = 300_000;

/** Creates a workspace without credit. */
export async function prepare(traffic: Traffic, id: string): Promise<void> {
  await operate(traffic, '/api/workspaces', { id });
}

/** Credit for N requests answers exactly N, on whichever nodes. */
export async function spendExactly(traffic: Traffic): Promise<void> {
  const { nodes, references, journal } = traffic;
  const [{ state, questions, tokens }] = references as readonly [Reference];
  await prepare(traffic, WORKSPACE);
  const amount = showAmount(BigInt(COVERED * tokens) * PRICE);
  await operate(traffic, `/api/workspaces/${WORKSPACE}/grants`, { amount });
  const made = await operate(traffic, '/api/keys', { workspace: WORKSPACE });
  const { token } = JSON.parse(made) as { token: string };
  const headers = callerHeaders(token);
  for (const { url } of nodes)
    await until(async () => statusOf(await call(`${url}/v1/limits`, { headers })) === 200);
  const init = { method: 'POST', headers, body: JSON.stringify({ state, questions }) };
  const outcomes = await Promise.all(
    Array.from({ length: SENT }, (_, at) =>
      done(`${(nodes[at % nodes.length] as ClusterNode).url}/v1/decide`, init),
    ),
  );
  const statuses = outcomes.map(statusOf).sort().join(' ');
  const expected = [...Array(COVERED).fill(200), ...Array(SENT - COVERED).fill(402)].join(' ');
  if (statuses !== expected) journal.violation(`credit for ${COVERED} requests was answered ${statuses}`);
}

/** The outcome of a request that is sent until a node can do what it asks. */
async function done(url: string, init: RequestInit): Promise<Outcome> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const outcome = await call(url, { signal, ...init });
    if (statusOf(outcome) !== UNAVAILABLE) return outcome;
    await sleep(RETRY_MS);
  }
}

/** The response to a change by the operator. Nothing else may disturb it. */
async function operate({ nodes }: Traffic, path: string, body: object): Promise<string> {
  const init = { method: 'POST', headers: callerHeaders(OPERATOR_TOKEN), body: JSON.stringify(body) };
  const outcome = await done(`${nodes[0]?.operatorUrl}${path}`, init);
  if (outcome.kind !== 'answered' || outcome.status >= 300)
    throw new Error(`${path}: ${JSON.stringify(outcome)}`);
  return outcome.text;
}
