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

/** Whoever asks for a host that is being asked for waits for that answer: a host holds one thread at most. */
function once<Answer>(ask: (host: string) => Promise<Answer>): (host: string) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return (host) => {
    const found = asked.get(host) ?? ask(host).finally(() => asked.delete(host));
    asked.set(host, found);
    return found;
  };
}

/** Many hosts have addresses of one family only: what fails for one of them is left out. */
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
