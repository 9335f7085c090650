import { lookup, Resolver } from 'node:dns/promises';
import type { Clock } from '../../base/index.js';
import type { WebhookGuard } from './guard.js';

/** How the name servers are asked: how long one may take, and how often it is asked. */
const QUERY = { timeout: 2_000, tries: 2 };

/**
 * The guard over this machine's network. Callers choose the names that are looked up, and the system's own look-up
 * holds a thread of Node's small pool until it ends, which others need to write files: only hosts that the operator has
 * named go that way, and find `/etc/hosts` on it. All others are asked of the name servers.
 */
export function systemGuard(
  allowedHosts: ReadonlySet<string>,
  clock: Clock,
  nameServers?: readonly string[],
): WebhookGuard {
  const resolve = (host: string) =>
    allowedHosts.has(host) ? askSystem(host) : askServers(host, nameServers);
  return { allowedHosts, clock, resolve };
}

async function askSystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Many hosts have addresses of one family only: what fails for one of them is left out. */
async function askServers(host: string, nameServers: readonly string[] | undefined): Promise<string[]> {
  const resolver = new Resolver(QUERY);
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
