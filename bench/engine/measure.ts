import { availableParallelism } from 'node:os';
import { Pace } from '../report.js';
import type { Case } from './cases.js';
import type { Ours } from './ours.js';
import { DEFAULT_PARALLEL, PARALLEL_QUESTIONS, type Peer } from './peer.js';
import { machineTicks, othersPart, untilQuiet } from './quiet.js';
import { type Asked, textsOf } from './texts.js';
import { fullPrompts, longestOf, uniqueTokens } from './unique.js';

/** Full prompts measured per round; the remaining prompts of a case are assumed to take as long. */
const FULL_PROMPTS = 2;
/** A round in which other processes used more than this share of the needed cores is repeated … */
const OTHERS_MAX = 0.05;
/** … up to this many times in all. */
const TRIES_MAX = 2;

/** One round: the time of each contestant for the same texts, in milliseconds. */
export interface Round {
  readonly ours: number;
  /** Rendering and tokenizing the prompts. The peer's time includes its own. */
  readonly planning: number;
  readonly ideal: number;
  readonly full: number;
  readonly peer: number | null;
  /** Unique tokens of the prompts. The ideal excludes the head, which the engine keeps in its cache. */
  readonly tokens: number;
  /** The share of the machine used by other processes meanwhile. */
  readonly others: number;
}

export interface Measured {
  readonly rounds: readonly Round[];
  /** Parallel questions of the decision context; null without a peer. */
  readonly parallelQuestions: number | null;
  /** Full prompts of a round, and how many of them were decoded. */
  readonly fullPrompts: { readonly all: number; readonly measured: number };
}

/**
 * Measures a case. In every round all contestants run one after another, on new texts. If other processes use too much
 * of the machine, more rounds are run and the quietest ones kept.
 */
export async function measure(
  one: Case,
  rounds: number,
  ours: Ours,
  peer: Peer | null,
  pace = new Pace({ cases: 1 }),
): Promise<Measured> {
  const othersMax = OTHERS_MAX + Math.max(0, 1 - ours.threads / availableParallelism());
  let setting: number | null = null;
  const measured: Round[] = [];
  let fullPrompts = { all: 0, measured: 0 };
  const quiet = () => measured.filter(({ others }) => !(others > othersMax)).length;
  for (const round of pace.rounds(one.name, rounds * TRIES_MAX)) {
    if (quiet() >= rounds) break;
    const before = machineTicks();
    const cpu = process.cpuUsage();
    const texts = textsOf(one, `round ${round}`);
    const { fullPrompts: counted, ...mine } = await measureOurs(texts, one, ours);
    fullPrompts = counted;
    const theirs: PeerMeasured | null = peer && (await measurePeer(texts, one, peer, setting));
    const { user, system } = process.cpuUsage(cpu);
    const ownMs = (user + system) / 1_000 + (theirs?.cpuMs ?? 0);
    measured.push({ ...mine, peer: theirs?.ms ?? null, others: othersPart(before, machineTicks(), ownMs) });
    setting = theirs?.setting ?? null;
  }
  measured.sort((a, b) => a.others - b.others);
  return { rounds: measured.slice(0, rounds), parallelQuestions: setting, fullPrompts };
}

interface PeerMeasured {
  readonly ms: number;
  readonly cpuMs: number;
  /** Questions in parallel. */
  readonly setting: number;
}

/** Without a setting, tries all that may suit the case and keeps the best time. */
async function measurePeer(
  texts: readonly Asked[],
  one: Case,
  peer: Peer,
  setting: number | null,
): Promise<PeerMeasured | null> {
  const several = one.requests * one.questions > DEFAULT_PARALLEL;
  const settings = setting !== null ? [setting] : several ? PARALLEL_QUESTIONS : [DEFAULT_PARALLEL];
  let best: { ms: number; setting: number } | null = null;
  let cpuMs = 0;
  for (const parallel of settings) {
    const asked = best === null ? texts : textsOf(one, `with ${parallel} in parallel`);
    const run = await peer.run(asked, one.arrival, parallel);
    cpuMs += run.cpuMs;
    if (best === null || run.ms < best.ms) best = { ms: run.ms, setting: parallel };
  }
  return best && { ...best, cpuMs };
}

async function measureOurs(texts: readonly Asked[], one: Case, ours: Ours) {
  const started = performance.now();
  const plans = texts.map(ours.plan);
  const planning = performance.now() - started;
  // This thread only waits while the engine computes.
  const engine = await timed(() => ours.runAll(plans, one.arrival));
  await untilQuiet();
  const computed = uniqueTokens(plans, ours.head);
  const longest = longestOf(plans);
  const ideal = await timed(async () => ours.plain.decode(computed, longest));
  await untilQuiet();
  const prompts = fullPrompts(plans);
  const sample = prompts.slice(0, FULL_PROMPTS);
  const full = await timed(async () => {
    for (const prompt of sample) ours.plain.decode(prompt, prompt.length);
  });
  await untilQuiet();
  return {
    ours: engine,
    planning,
    ideal,
    full: (full * prompts.length) / sample.length,
    fullPrompts: { all: prompts.length, measured: sample.length },
    tokens: uniqueTokens(plans).length,
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
