import type { Case } from './cases.js';
import type { Ours } from './ours.js';
import { PARALLEL_QUESTIONS, type Peer } from './peer.js';
import { untilQuiet } from './quiet.js';
import { textsOf } from './texts.js';

const WARM_UP: Case = {
  name: 'warm up',
  // Two at the same time: a GPU has two contexts.
  requests: 2,
  questions: 2,
  stateTokens: 400,
  questionTokens: 50,
  arrival: 'together',
  oneState: false,
  model: 'benchmark',
};
const PLAIN_ROUNDS = 3;

/**
 * Lets every contestant answer once, so that no round includes one-time costs. Returns the tokens per second of a plain
 * decode of one chunk on an empty cache, the reference for all other rates.
 */
export async function warmUp(ours: Ours, peer: Peer | null): Promise<number> {
  await Promise.all(textsOf(WARM_UP, 'ours').map(ours.plan).map(ours.run));
  await untilQuiet();
  // Each number of parallel questions has its own context.
  for (const parallel of PARALLEL_QUESTIONS) {
    await peer?.run(textsOf(WARM_UP, `peer ${parallel}`), 'one by one', parallel);
  }
  const tokens = Int32Array.from({ length: ours.chunk }, (_, index) => 300 + ((index * 7) % 1_000));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < PLAIN_ROUNDS; round++) {
    const start = performance.now();
    ours.plain.decode(tokens, tokens.length);
    least = Math.min(least, performance.now() - start);
  }
  await untilQuiet();
  return (ours.chunk / least) * 1_000;
}
