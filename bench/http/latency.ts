import { progress, quantile, showNumber } from '../report.js';
import { requestBytes } from './bodies.js';
import { openConnections } from './connection.js';
import type { Load } from './cost.js';
import { openLoop } from './load.js';
import type { Server } from './server.js';

const PARTS_OF_CAPACITY = [0.5, 0.8, 0.95];
/** More connections than needed below capacity, so that requests rarely wait for one. */
const CONNECTIONS = 256;

export interface Latency {
  readonly part: number;
  readonly per_second: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Latencies under random arrivals at fractions of a server's capacity. */
export async function measureLatency(server: Server, load: Load, capacity: number): Promise<Latency[]> {
  const connections = await openConnections(server.port, CONNECTIONS);
  const requests = load.bodies.map((body) => requestBytes(body, server.token));
  const measured: Latency[] = [];
  for (const part of PARTS_OF_CAPACITY) {
    progress(`${server.transport} ${server.kind}: open loop at ${part * 100} %`);
    const rate = capacity * part;
    const times = await openLoop(connections, requests, rate, load.seconds);
    const at = (share: number) => quantile(times, share);
    measured.push({ part, per_second: rate, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) });
  }
  for (const connection of connections) connection.close();
  return measured;
}

export const LATENCY_HEAD = ['of capacity', 'requests/s', 'p50', 'p90', 'p99', 'max'];

export function showLatency({ part, per_second, p50, p90, p99, max }: Latency): string[] {
  return [`${part * 100} %`, ...[per_second, p50, p90, p99, max].map(showNumber)];
}
