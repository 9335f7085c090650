import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterNode } from '../../support/faults/cluster.js';
import type { Random } from '../../support/random.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import type { Fault } from './world.js';

/** Longer than a session lasts. */
const LONG_MS_MAX = 14_000;
const SHORT_MS_MAX = 2_000;
const LOST_COMMITS_MAX = 4;
const LOST = ['not sent', 'not answered', 'late'] as const;

/** Mostly short, sometimes longer than a session lasts. */
const duration = (next: Random) => next.integer(next.integer(4) === 0 ? LONG_MS_MAX : SHORT_MS_MAX);

/** Faults of single nodes and, if they have proxies, of the network between a node and the database. */
export function nodeFaults(nodes: readonly ClusterNode[], proxies: readonly TcpProxy[]): Fault[] {
  const fault = (
    name: string,
    weight: number,
    work: (node: ClusterNode, next: Random, proxy: TcpProxy) => Promise<unknown>,
  ): Fault => ({
    name,
    scope: 'node',
    weight,
    async cause(next) {
      const at = next.integer(nodes.length);
      const node = nodes[at] as ClusterNode;
      await work(node, next, proxies[at] as TcpProxy);
      return { node: node.name };
    },
  });
  const ofNodes = [
    fault('kill', 3, async (node, next) => {
      await node.kill();
      await sleep(duration(next));
      await node.start();
    }),
    fault('restart', 1, async (node) => {
      const { code, stderr } = await node.stop();
      // While the database is away, the last charges cannot be written.
      const isUnwritten = code === 1 && /database/i.test(stderr);
      if (code !== 0 && !isUnwritten)
        throw new Error(`${node.name} was stopped and ended with ${code}: ${stderr}`);
      await node.start();
    }),
    fault('freeze', 3, (node, next) => node.freeze(duration(next))),
  ];
  const ofNetwork = [
    fault('cut', 2, async (_, next, proxy) => {
      proxy.cut(true);
      await sleep(duration(next));
      proxy.cut(false);
    }),
    fault('silence', 2, async (_, next, proxy) => {
      proxy.pause();
      await sleep(duration(next));
      proxy.resume();
    }),
    fault('lose commits', 4, async (_, next, proxy) => {
      for (let count = 1 + next.integer(LOST_COMMITS_MAX); count > 0; count -= 1) {
        proxy.loseCommit(LOST[next.integer(LOST.length)] ?? null);
        await sleep(next.integer(SHORT_MS_MAX));
      }
      proxy.loseCommit(null);
    }),
  ];
  return proxies.length === 0 ? ofNodes : [...ofNodes, ...ofNetwork];
}
