import type { ContextState } from './context-state.js';
import type { Entry } from './scheduler-types.js';

/** A plan waits for a lane with its prefix while the tokens before it there are at most this many times those it saves. */
const WAIT_PER_SAVED_TOKEN_MAX = 4;

/**
 * Routing: the waiting plans that a lane does not take because another lane should compute them.
 *
 * A plan whose prefix is in the cache of a lane is computed there, because the prefix need not be computed again. Several
 * lanes may hold it; then any of them takes the plan, and a lane without it leaves the plan to the one with the least
 * before it. A lane that does not hold the prefix takes the plan all the same if those that do are too far behind:
 *
 * - if more than one wave would wait for such a lane, counting the plan, those left to it before, and what its running
 *   plans still need. So no lane is idle while another has more than one wave of plans that the idle one could compute.
 * - if what is before the plan there, the wave in progress included, is more than four times the tokens that are saved. So
 *   a request with a short state does not wait for a long wave.
 *
 * A plan whose prefix no lane holds is computed by the first lane that has room. From then on that lane holds it, so the
 * requests of a burst about one new state follow the first of them.
 *
 * @param contexts of all lanes that work
 * @param waiting in the order in which they are taken
 */
export function plansForOtherLanes<E extends Entry>(
  context: ContextState<E>,
  contexts: ReadonlyArray<ContextState<E>>,
  waiting: Iterable<E>,
): ReadonlySet<E> {
  const left = new Set<E>();
  const others = contexts
    .filter((other) => other !== context)
    .map((other) => ({ other, queued: pendingTokens(other) }));
  if (others.length === 0) return left;
  for (const entry of waiting) {
    const { prefix, prefixKey } = entry.plan;
    if (context.cache.findPrefix(prefixKey) !== undefined) continue;
    const holders = others.filter(({ other }) => other.cache.findPrefix(prefixKey) !== undefined);
    if (holders.length === 0) continue;
    const holder = holders.reduce((best, each) => (before(each) < before(best) ? each : best));
    const { other, queued } = holder;
    const cost = other.remaining(entry);
    const saved = prefix.length - context.cache.cachedTokens(entry.plan);
    if (queued + cost > other.bounds.waveTokens || before(holder) > WAIT_PER_SAVED_TOKEN_MAX * saved)
      continue;
    holder.queued += cost;
    left.add(entry);
  }
  return left;
}

/**
 * Gives waves to free lanes until none of them takes one. One pass is not enough: the wave of a lane may displace a prefix
 * for which an earlier lane left a plan, and then that lane should take the plan.
 *
 * @param give gives a lane its next wave if it is free; returns whether there was one
 */
export function giveWaves<L>(lanes: readonly L[], give: (lane: L) => boolean): void {
  let isGiven: boolean;
  do {
    isGiven = false;
    for (const lane of lanes) if (give(lane)) isGiven = true;
  } while (isGiven);
}

/** Tokens of a lane's running plans that are in no wave yet. */
function pendingTokens<E extends Entry>({ cache }: ContextState<E>): number {
  return cache.running.reduce((sum, running) => sum + cache.remainingOf(running), 0);
}

const before = ({
  other,
  queued,
}: {
  readonly other: { readonly computing: number };
  readonly queued: number;
}) => other.computing + queued;
