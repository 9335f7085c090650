import { lookup, Resolver } from 'node:dns/promises';
import type { Clock } from '../../base/index.js';
import type { WebhookGuard } from './guard.js';

/** The timeout of one query to a name server, in milliseconds, and the number of attempts. */
const QUERY = { timeout: 2_000, tries: 2 };

/**
 * The guard for this machine's network. Callers choose the names, and a system lookup (getaddrinfo) occupies a thread of
 * Node's small pool, which file operations need too. So only hosts that the operator allows by name use the system
 * lookup, which also reads `/etc/hosts`. All others are queried from the name servers.
 */
export function systemGuard(
  allowedHosts: ReadonlySet<string>,
  clock: Clock,
  nameServers?: readonly string[],
  askSystem: (host: string) => Promise<string[]> = systemAddresses,
): WebhookGuard {
  const asked = once(askSystem);
  const resolve = (host: string, signal: AbortSignal) =>
    allowedHosts.has(host) ? asked(host) : askServers(host, nameServers, signal);
  return { allowedHosts, clock, resolve };
}

async function systemAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Joins concurrent lookups of one host, so that a host occupies at most one thread. */
function once<Answer>(ask: (host: string) => Promise<Answer>): (host: string) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return (host) => {
    const found = asked.get(host) ?? ask(host).finally(() => asked.delete(host));
    asked.set(host, found);
    return found;
  };
}

/** Many hosts have addresses of one family only, so a failed query for the other family is ignored. */
async function askServers(
  host: string,
  nameServers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const resolver = new Resolver(QUERY);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
