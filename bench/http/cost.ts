import { Pace, quantile, type Times, timesOf } from '../report.js';
import { requestBytes } from './bodies.js';
import { openConnections } from './connection.js';
import { KINDS, type Kind } from './kinds.js';
import { closedLoop } from './load.js';
import type { Server } from './server.js';

export interface Load {
  readonly bodies: readonly Buffer[];
  /** Requests per round. */
  readonly count: number;
  readonly rounds: number;
  readonly connections: number;
  /** Duration of the arrivals. */
  readonly seconds: number;
}

/** The cost of a request. */
export interface Cost {
  readonly kind: Kind;
  /** Microseconds of processor time of all threads of the server. */
  readonly cpu: Times;
  /** As a multiple of the bare transport. */
  readonly times: number;
  /** Requests per second in the median round. */
  readonly perSecond: number;
  /** The share of a core used by the client; near 1, the client is the bottleneck. */
  readonly clientBusy: number;
}

/** Puts load on all servers of one transport in turn, round by round. */
export async function measureCost(
  servers: readonly Server[],
  load: Load,
  pace = new Pace({ cases: 1 }),
): Promise<Cost[]> {
  const rounds = new Map(
    servers.map((server) => [server.kind, [] as { cpu: number; ms: number; client: number }[]]),
  );
  // The first round warms up.
  for (const round of pace.rounds(`${servers[0]?.transport}, cost`, load.rounds + 1, 2)) {
    for (const server of servers) {
      const measured = await measureOnce(server, load);
      if (round > 0) rounds.get(server.kind)?.push(measured);
    }
  }
  const cpuOf = (kind: Kind) => timesOf((rounds.get(kind) ?? []).map(({ cpu }) => cpu));
  return (Object.keys(KINDS) as Kind[]).map((kind) => {
    const own = rounds.get(kind) ?? [];
    return {
      kind,
      cpu: cpuOf(kind),
      times: cpuOf(kind).median / cpuOf('bare').median,
      perSecond:
        (load.count /
          quantile(
            own.map(({ ms }) => ms),
            0.5,
          )) *
        1_000,
      clientBusy: quantile(
        own.map(({ client }) => client),
        0.5,
      ),
    };
  });
}

/** Puts load on a server. Returns its processor time per request in microseconds, the elapsed milliseconds, and how busy the client was. */
export async function measureOnce(server: Server, { bodies, count, connections }: Load) {
  const requests = bodies.map((body) => requestBytes(body, server.token));
  const open = await openConnections(server.port, connections);
  const { cpuMs: before } = await server.spent();
  const own = process.cpuUsage();
  const ms = await closedLoop(open, requests, count);
  const { user, system } = process.cpuUsage(own);
  const cpu = (((await server.spent()).cpuMs - before) * 1_000) / count;
  for (const connection of open) connection.close();
  return { cpu, ms, client: (user + system) / 1_000 / ms };
}
