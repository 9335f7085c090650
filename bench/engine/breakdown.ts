import type { NativeContext, Plan, WaveBounds } from '../../src/engine/index.js';
import { COUPLED_PRODUCT_MAX } from '../../src/engine/index.js';
import { ContextState } from '../../src/engine/scheduler/context-state.js';
import { noEmbeddings } from '../../src/engine/scheduler/embeddings.js';
import { AdaptiveBudget } from '../../src/engine/scheduler/idle-budget.js';
import { runTogether } from '../../src/engine/scheduler/step.js';
import { runWave } from '../../src/engine/wave/run-wave.js';
import { quantile, showNumber, timesOf } from '../report.js';
import type { Case } from './cases.js';
import type { Ours } from './ours.js';
import { untilQuiet } from './quiet.js';
import { Recorder, type Without } from './recorder.js';
import { textsOf } from './texts.js';
import { longestOf, uniqueTokens } from './unique.js';

/** Where the time of one round goes, in milliseconds. The parts add up to the gap between the engine and the ideal. */
export interface Breakdown {
  readonly engine: number;
  /** Between the main thread and the engine thread, and waves that begin before all requests have arrived. */
  readonly handOff: number;
  /** Choosing the plans of waves, and giving them their results. */
  readonly planning: number;
  /** Turning waves into the arrays of decodes. */
  readonly building: number;
  /** Copies and removals of sequences. */
  readonly sequences: number;
  /** Logits of more than one answer slot per decode, over the full vocabulary. */
  readonly outputs: number;
  /** Tokens that fill small decodes up. */
  readonly padding: number;
  /** Attention to cells of other requests and kept states, which is masked, and the construction of the masks. */
  readonly cells: number;
  /** Decodes that are smaller than they could be: more of them, in more phases. */
  readonly decodes: number;
  readonly ideal: number;
}

/** How many of what one round has. */
export interface Counts {
  readonly decodes: number;
  readonly tokens: number;
  readonly paddingTokens: number;
  readonly outputRows: number;
}

export interface Measurement {
  readonly rounds: readonly Breakdown[];
  readonly counts: Counts;
}

/**
 * Measures a case in steps from the engine to the ideal, each of which leaves out one more cost. Every step runs on the
 * same plans and an empty context; small differences of a step are noise, and can be negative.
 */
export async function measureBreakdown(
  one: Case,
  rounds: Iterable<number>,
  ours: Ours,
  context: NativeContext,
): Promise<Measurement> {
  const found: Breakdown[] = [];
  let counts: Counts = { decodes: 0, tokens: 0, paddingTokens: 0, outputRows: 0 };
  // Not timed: the first decodes of a context bring its buffers into memory.
  replayed(textsOf(one, 'warm-up').map(ours.plan), one, ours, context, {});
  for (const round of rounds) {
    const plans = textsOf(one, `breakdown ${round}`).map(ours.plan);
    const engine = await timed(() => ours.runAll(plans, one.arrival));
    await untilQuiet();
    const longest = longestOf(plans);
    const replay = (without: Without) => replayed(plans, one, ours, context, without);
    const whole = replay({});
    const oneRow = replay({ outputs: true });
    const unpadded = replay({ outputs: true, padding: true });
    await untilQuiet();
    const { sizes } = whole.recorder;
    const tokens = uniqueTokens(plans, ours.head);
    const sameDecodes = await timed(async () => ours.plain.decodeEach(tokens, sizes, longest));
    const ideal = await timed(async () => ours.plain.decode(tokens, longest));
    await untilQuiet();
    const { decoding, bookkeeping, padding, rows } = whole.recorder;
    found.push({
      engine,
      handOff: engine - whole.ms,
      planning: whole.planning,
      building: whole.ms - whole.planning - decoding - bookkeeping,
      sequences: bookkeeping,
      outputs: decoding - oneRow.recorder.decoding,
      padding: oneRow.recorder.decoding - unpadded.recorder.decoding,
      cells: unpadded.recorder.decoding - sameDecodes,
      decodes: sameDecodes - ideal,
      ideal,
    });
    counts = { decodes: sizes.length, tokens: sum(sizes), paddingTokens: padding, outputRows: rows };
  }
  return { rounds: found, counts };
}

/** Runs plans as the engine does, but on this thread. */
function replayed(plans: readonly Plan[], one: Case, ours: Ours, context: NativeContext, without: Without) {
  const { bounds, head } = ours;
  const recorder = new Recorder(context, bounds.sequences, without);
  const state = newState(bounds, head);
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  context.clear();
  // The engine has the head in its cache from its first request on.
  runTogether([headOnly(head)], state, (task) => runWave(context, task, bounds, cancel));
  let running = 0;
  const start = performance.now();
  for (const group of one.arrival === 'together' ? [plans] : plans.map((plan) => [plan])) {
    runTogether(group, state, (task) => {
      const began = performance.now();
      const result = runWave(recorder, task, bounds, cancel);
      running += performance.now() - began;
      return result;
    });
  }
  const ms = performance.now() - start;
  return { recorder, ms, planning: ms - running };
}

/** A request without a state, whose prefix is the head and one token. */
function headOnly(head: Int32Array): Plan {
  const suffix = { tokens: Int32Array.of(0), options: Int32Array.of(0) };
  return { prefix: Int32Array.of(...head, 0), prefixKey: 'no state', suffixes: [suffix], images: [] };
}

function newState(bounds: WaveBounds, head: Int32Array) {
  const idleCellsMax = Math.floor(bounds.cells / 2);
  const sharing = { head, idleCellsMax, exact: false, coupledProductMax: COUPLED_PRODUCT_MAX };
  return new ContextState(bounds, sharing, noEmbeddings(), new AdaptiveBudget(idleCellsMax));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const PARTS = {
  engine: 'engine',
  handOff: 'thread hand-off',
  planning: 'planning of waves',
  building: 'arrays of decodes',
  sequences: 'copies and removals',
  outputs: 'output rows',
  padding: 'padding',
  cells: 'masked cells, masks',
  decodes: 'extra decodes',
  ideal: 'ideal',
} as const satisfies Record<keyof Breakdown, string>;

export const BREAKDOWN_HEAD = ['part', 'ms, median (min)', '% of the engine'];

/** A row per part. Medians need not add up. */
export function showBreakdown({ rounds }: Measurement): string[][] {
  const median = (part: keyof Breakdown) => timesOf(rounds.map((round) => round[part]));
  const share = (part: keyof Breakdown) =>
    quantile(
      rounds.map((round) => (round[part] / round.engine) * 100),
      0.5,
    );
  return (Object.keys(PARTS) as Array<keyof Breakdown>).map((part) => {
    const { median: middle, min } = median(part);
    return [PARTS[part], `${showNumber(middle)} (${showNumber(min)})`, share(part).toFixed(1)];
  });
}

/** `3 decodes of 1400 tokens and 12 of padding, 16 output rows`. */
export function showCounts({ decodes, tokens, paddingTokens, outputRows }: Counts): string {
  return `${decodes} decodes of ${tokens} tokens and ${paddingTokens} of padding, ${outputRows} output rows`;
}
