import { systemClock } from '../../src/base/index.js';
import { type Outcome, runRates, type Send, type StepResult, watchClient } from '../../src/load/index.js';
import { Pace, showNumber } from '../report.js';
import { requestBytes } from './bodies.js';
import { type Connection, openConnections } from './connection.js';
import type { Load } from './cost.js';
import type { Server } from './server.js';

const PARTS_OF_CAPACITY = [0.5, 0.8, 0.95];
const SEED = 1;
/** More connections than needed below capacity, so that requests rarely wait for one. */
const CONNECTIONS = 256;
const TIMEOUT_MS = 30_000;

/** Longer waits use a timer. */
const SPIN_MS_MAX = 1_000;

/** A timer of Node is late by up to a millisecond, more than many latencies measured here: this clock waits in a loop. */
const spinningClock = {
  monotonic: () => performance.now(),
  after(ms: number, callback: () => void): () => void {
    if (ms > SPIN_MS_MAX) return systemClock.after(ms, callback);
    const due = performance.now() + ms;
    const look = () => {
      if (performance.now() >= due) callback();
      else next = setImmediate(look);
    };
    let next = setImmediate(look);
    return () => clearImmediate(next);
  },
};

export interface Latency {
  readonly part: number;
  readonly per_second: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Latencies under Poisson arrivals at fractions of a server's capacity, generated as by `decider load`. */
export async function measureLatency(
  server: Server,
  load: Load,
  capacity: number,
  pace = new Pace({ cases: 1 }),
): Promise<Latency[]> {
  const parts = PARTS_OF_CAPACITY.length;
  const seconds = pace.seconds(`${server.transport} ${server.kind}, latency`, load.seconds * parts) / parts;
  const connections = await openConnections(server.port, CONNECTIONS);
  const requests = load.bodies.map((body) => requestBytes(body, server.token));
  let sent = 0;
  const steps = await runRates(
    PARTS_OF_CAPACITY.map((part) => part * capacity),
    { seed: SEED, warmUpSeconds: 0, seconds, connections: CONNECTIONS, timeoutMs: TIMEOUT_MS },
    {
      clock: spinningClock,
      requests: { next: () => ({ shape: 'bench', body: requests[sent++ % requests.length] as Buffer }) },
      send: sendOver(connections),
      stop: new AbortController().signal,
      watchClient,
      onStart: (rate) => pace.step(`open loop at ${Math.round((rate / capacity) * 100)} %`),
      onEnd: () => {},
    },
  );
  for (const connection of connections) connection.close();
  return steps.map((step, index) => latencyOf(step, PARTS_OF_CAPACITY[index] as number));
}

/** At most as many requests at a time as there are connections. */
function sendOver(connections: readonly Connection[]): Send {
  const free = [...connections];
  return ({ body }) =>
    new Promise<Outcome>((resolve) => {
      // The one idle longest: the server closes unused connections.
      const connection = free.shift() as Connection;
      connection.send(body, () => {
        free.push(connection);
        resolve({ answered: true, decisions: 3, inputTokens: 0 });
      });
    });
}

const latencyOf = ({ rate, latency_ms: { p50, p90, p99, max } }: StepResult, part: number): Latency => ({
  ...{ part, per_second: rate },
  ...{ p50, p90, p99, max },
});

export const LATENCY_HEAD = ['of capacity', 'requests/s', 'p50', 'p90', 'p99', 'max'];

export function showLatency({ part, per_second, p50, p90, p99, max }: Latency): string[] {
  return [`${part * 100} %`, ...[per_second, p50, p90, p99, max].map((ms) => showNumber(ms ?? Number.NaN))];
}
