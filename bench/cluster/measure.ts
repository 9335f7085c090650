import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL } from '../batch/models.js';
import { openConnections } from '../http/connection.js';
import { closedLoop } from '../http/load.js';
import type { BenchCluster } from './cluster.js';
import type { Statements } from './node-process.js';

/** Requests in progress per node: more than fit into two waves. */
const CONNECTIONS_PER_NODE = 64;
const POLL_MS = 500;
const IDLE_MS = 3_000;

/** The work of one kind that a cluster did. */
export interface Measured {
  /** Requests or lines. */
  readonly count: number;
  readonly perSecond: number;
  /** Sent meanwhile by all nodes, by name. */
  readonly statements: Statements;
  /** Statements per request or line, without those of the same time in an idle cluster. */
  readonly statementsEach: number;
}

const request = (at: number) => ({
  model: MODEL,
  state: `Case ${at}: the parcel has not arrived.`,
  questions: { q: { type: 'noul', instructions: 'Is the customer angry?' } },
});

/** Live requests, each connection sending the next one when it is answered. */
export async function measureLive(
  cluster: BenchCluster,
  count: number,
  idlePerSecond: number,
): Promise<Measured> {
  const requests = Array.from({ length: 500 }, (_, at) => {
    const body = JSON.stringify(request(at));
    return Buffer.from(`${head(cluster, 'POST', '/v1/decide', 'application/json', body.length)}${body}`);
  });
  const connections = await openConnections(cluster.port, CONNECTIONS_PER_NODE * cluster.nodes.length);
  try {
    const before = await cluster.statements();
    const ms = await closedLoop(connections, requests, count);
    return result(count, ms, await since(cluster, before), idlePerSecond);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** `lines` lines in `batches` batches, from the first line to the end of the last batch. */
export async function measureBatches(
  cluster: BenchCluster,
  { lines, batches }: { readonly lines: number; readonly batches: number },
  idlePerSecond: number,
): Promise<Measured> {
  const each = Math.ceil(lines / batches);
  const file = Array.from({ length: each }, (_, at) =>
    JSON.stringify({ custom_id: `line-${at}`, ...request(at) }),
  ).join('\n');
  const before = await cluster.statements();
  const ids = [];
  for (let at = 0; at < batches; at += 1)
    ids.push((await call<{ id: string }>(cluster, '/v1/batches', file)).id);
  const times = await Promise.all(ids.map((id) => finished(cluster, id)));
  const begun = Math.min(...times.map(({ started_at }) => Date.parse(started_at ?? '')));
  const ended = Math.max(...times.map(({ finished_at }) => Date.parse(finished_at ?? '')));
  return result(each * batches, ended - begun, await since(cluster, before), idlePerSecond);
}

/** Statements per second of all nodes without requests. */
export async function measureIdle(cluster: BenchCluster): Promise<number> {
  const before = await cluster.statements();
  await sleep(IDLE_MS);
  return (total(await since(cluster, before)) * 1_000) / IDLE_MS;
}

function result(count: number, ms: number, statements: Statements, idlePerSecond: number): Measured {
  const own = Math.max(0, total(statements) - (idlePerSecond * ms) / 1_000);
  return { count, perSecond: (count * 1_000) / ms, statements, statementsEach: own / count };
}

const total = (statements: Statements) => Object.values(statements).reduce((sum, each) => sum + each, 0);

async function since(cluster: BenchCluster, before: Statements): Promise<Statements> {
  const now = await cluster.statements();
  return Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)]));
}

interface Times {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

async function finished(cluster: BenchCluster, id: string): Promise<Times> {
  for (;;) {
    const times = await call<Times>(cluster, `/v1/batches/${id}`);
    if (times.finished_at !== null) return times;
    await sleep(POLL_MS);
  }
}

async function call<Answer>({ port, token }: BenchCluster, path: string, body?: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jsonl' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  if (!response.ok) throw new Error(`the server answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

const head = ({ token }: BenchCluster, method: string, path: string, type: string, length: number) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');
