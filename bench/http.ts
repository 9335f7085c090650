// The cost of the server without the model: processor time per request against the bare transport, for requests of 1 KB
// with three questions, and latency under open-loop arrivals. The engine is replaced by one that answers at once.
//
//   bare    the transport alone (uWebSockets.js, node:http), with responses of the same size
//   open    http and decide: requests are read, checked and answered; no threads, no tokenizing, no keys
//   ours    the same with keys, limits and charges
//   whole   the same with a preparing thread that renders and tokenizes
//
// Then the preparing thread with a generated vocabulary of 262,144 tokens, and requests as public clients send them: with
// and without the cache of tokens, with questions that repeat and with new ones.
//
//   npm run bench:http                        every transport that loads
//   npm run bench:http -- --requests N --rounds N --connections N --seconds N
//   npm run bench:http -- --minutes N         about so long, with fewer rounds and seconds
//   npm run bench:http -- --json FILE         also write {machine, cases: [{case, ours, peer, ratio_peer, …}]}
import { BODY_BYTES, requestBodies } from './http/bodies.js';
import { measureCost } from './http/cost.js';
import { KINDS, TRANSPORTS, type TransportName } from './http/kinds.js';
import { LARGE_KINDS, measureLarge } from './http/large.js';
import { LATENCY_HEAD, measureLatency, showLatency } from './http/latency.js';
import type { Server } from './http/server.js';
import { startServers } from './http/servers.js';
import { tokenizingMicroseconds } from './http/tokenizing.js';
import { benchOptions } from './options.js';
import { machine, Pace, showNumber, table, writeJson } from './report.js';

const values = benchOptions({
  requests: { type: 'string', default: '20000' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '64' },
  seconds: { type: 'string', default: '5' },
});
const [count, rounds, connections, seconds] = [
  values.requests,
  values.rounds,
  values.connections,
  values.seconds,
].map(Number) as [number, number, number, number];
const bodies = requestBodies();
const load = { bodies, count, rounds, connections, seconds };
// Of each transport: the cost of all kinds of servers, the latency of all but the bare one, and a large vocabulary.
const pace = new Pace({
  cases: TRANSPORTS.length * (Object.keys(KINDS).length + 1),
  minutes: values.minutes,
});

console.log(machine());
console.log(
  `requests of ${BODY_BYTES} bytes with 3 questions, ${count} a round on ${connections} connections, ${rounds} rounds`,
);
for (const [kind, what] of Object.entries(KINDS)) console.log(`${kind}: ${what}`);
const tokenizing = await tokenizingMicroseconds(bodies);
console.log(`rendering and tokenizing alone: ${showNumber(tokenizing)} µs a request\n`);

/** Requests with a large vocabulary take several times as long as the others. */
const LARGE_PART = 4;

const cases: unknown[] = [];
for (const transport of TRANSPORTS) {
  const servers = await startServers(transport).catch((error: Error) => {
    console.log(`without ${transport}: ${error.message}\n`);
    return null;
  });
  if (servers === null) continue;
  try {
    await benchmark(transport, servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  await benchmarkLarge(transport);
}
writeJson(values.json, { machine: machine(), load: { ...load, bodies: undefined }, tokenizing, cases });

async function benchmark(transport: TransportName, servers: readonly Server[]): Promise<void> {
  const costs = await measureCost(servers, load, pace);
  const rows = costs.map((cost) => [
    `${transport} ${cost.kind}`,
    `${showNumber(cost.cpu.median)} (${showNumber(cost.cpu.min)})`,
    cost.times.toFixed(2),
    showNumber(cost.perSecond),
    `${showNumber(cost.clientBusy * 100)} %`,
  ]);
  console.log(table(['server', 'CPU µs/request', '× bare', 'requests/s', 'client busy'], rows));
  const bare = costs.find(({ kind }) => kind === 'bare');
  for (const cost of costs) {
    cases.push({
      case: `${transport} ${cost.kind}`,
      ours: cost.cpu,
      peer: bare?.cpu,
      ratio_peer: 1 / cost.times,
      per_second: cost.perSecond,
    });
  }
  for (const server of servers.filter(({ kind }) => kind !== 'bare')) {
    const capacity = costs.find(({ kind }) => kind === server.kind)?.perSecond ?? 0;
    const latencies = await measureLatency(server, load, capacity, pace);
    console.log(`\n${transport} ${server.kind}, open loop, ms`);
    console.log(table(LATENCY_HEAD, latencies.map(showLatency)));
    cases.push({ case: `${transport} ${server.kind} latency`, latencies });
  }
  console.log();
}

/** The preparing thread with a vocabulary as large as those of trained models, and requests as public clients send them. */
async function benchmarkLarge(transport: TransportName): Promise<void> {
  const costs = await measureLarge(transport, { ...load, count: Math.ceil(count / LARGE_PART) }, pace);
  const [without] = costs;
  console.log(`${transport} whole, a vocabulary of 262,144 tokens, requests of about 1 KB`);
  for (const [kind, what] of Object.entries(LARGE_KINDS)) console.log(`${kind}: ${what}`);
  const rows = costs.map(({ kind, cpu, perSecond }) => [
    kind,
    `${showNumber(cpu.median)} (${showNumber(cpu.min)})`,
    ((without?.cpu.median ?? Number.NaN) / cpu.median).toFixed(2),
    showNumber(perSecond),
  ]);
  console.log(table(['requests', 'CPU µs/request', '× less', 'requests/s'], rows));
  console.log();
  for (const { kind, cpu, perSecond } of costs) {
    cases.push({
      case: `${transport} large vocabulary, ${kind}`,
      ours: cpu,
      peer: without?.cpu,
      per_second: perSecond,
    });
  }
}
