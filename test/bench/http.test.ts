import { type Test, test } from 'tap';
import { BODY_BYTES, requestBodies } from '../../bench/http/bodies.js';
import { measureCost } from '../../bench/http/cost.js';
import { LARGE_KINDS, measureLarge } from '../../bench/http/large.js';
import { LARGE_VOCABULARY, largeVocabulary } from '../../bench/http/large-vocabulary.js';
import { LATENCY_HEAD, measureLatency, showLatency } from '../../bench/http/latency.js';
import type { Server } from '../../bench/http/server.js';
import { startServers } from '../../bench/http/servers.js';
import { tokenizingMicroseconds } from '../../bench/http/tokenizing.js';

const bodies = requestBodies();
const LOAD = { bodies, count: 40, rounds: 1, connections: 4, seconds: 0.6 };

test('bodies have the size they are said to have', async (t) => {
  for (const body of bodies) if (body.length !== BODY_BYTES) t.fail(`${body.length} bytes`);
  t.equal(new Set(bodies.map(String)).size, bodies.length, 'all different');
  t.ok((await tokenizingMicroseconds(bodies.slice(0, 4))) > 0);
});

test('every kind of server is measured, on node:http', async (t) => {
  const servers = await start(t);
  const costs = await measureCost(servers, LOAD);
  t.strictSame(
    costs.map(({ kind }) => kind),
    ['bare', 'open', 'ours', 'whole'],
  );
  for (const { kind, cpu, times, perSecond, clientBusy } of costs) {
    for (const value of [cpu.median, cpu.min, times, perSecond, clientBusy]) {
      t.ok(value > 0 && Number.isFinite(value), `${kind}: ${value}`);
    }
  }
  // At least 100 requests per step, so that every percentile exists.
  const latencies = await measureLatency(servers[0] as Server, LOAD, 400);
  t.equal(latencies.length, 3);
  for (const latency of latencies) {
    const ascending = [latency.p50, latency.p90, latency.p99, latency.max].map(Number);
    t.ok(ascending[0]);
    t.strictSame(
      ascending,
      ascending.toSorted((one, other) => one - other),
    );
    t.equal(showLatency(latency).length, LATENCY_HEAD.length);
  }
});

test('a large vocabulary: each token once, and as many as asked for', async (t) => {
  const { tokens, types, merges } = largeVocabulary(40_000);
  t.equal(tokens.length, 40_000);
  t.equal(new Set(tokens).size, tokens.length);
  t.equal(types.length, tokens.length);
  t.equal(new Set(merges).size, merges.length);
  t.equal(LARGE_VOCABULARY, 262_144);
});

test('the cache of tokens is measured with a large vocabulary', async (t) => {
  const costs = await measureLarge('node', LOAD, undefined, largeVocabulary(0));
  t.strictSame(
    costs.map(({ kind }) => kind),
    Object.keys(LARGE_KINDS),
  );
  for (const { kind, cpu, perSecond } of costs) t.ok(cpu.median > 0 && perSecond > 0, kind);
});

async function start(t: Test): Promise<Server[]> {
  const servers = await startServers('node');
  t.teardown(() => Promise.all(servers.map((server) => server.stop())));
  return servers;
}
