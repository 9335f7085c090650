import { type Copy, type Leaf, longestLeaf, type Phase, type Stream, type WaveTask } from '../wave/index.js';
import type { ContextState, Entry, Running } from './context.js';
import type { HeldPrefix } from './held.js';

/** Which leaves a stream answers: equal leaves on one prefix are computed once. */
export type Answered<E extends Entry> = ReadonlyArray<{
  readonly running: Running<E>;
  readonly leaf: number;
}>;

/** A wave, and who gets which of its results. */
export interface Wave<E extends Entry> {
  readonly task: WaveTask;
  /** Per result of the task. */
  readonly answered: ReadonlyArray<Answered<E>>;
  /** Everyone whose plan it touches. */
  readonly running: ReadonlyArray<Running<E>>;
}

const HEAD_KEY = 'head';

interface DraftPhase<E extends Entry> {
  readonly removals: number[];
  readonly copies: Copy[];
  readonly streams: Stream[];
  readonly answered: Array<Answered<E>>;
}

const draft = <E extends Entry>(): DraftPhase<E> => ({ removals: [], copies: [], streams: [], answered: [] });

/** Fills one wave for one context. What is taken here is in the wave; nothing is given back but by `finish`. */
export class WaveBuilder<E extends Entry> {
  /** The head, where this wave computes it; what can start at once; what needs a prefix of this wave. */
  private readonly phases = [draft<E>(), draft<E>(), draft<E>()] as const;
  private readonly leafSequences: number[] = [];
  private readonly touched = new Set<Running<E>>();
  /** Prefixes of which this wave computes a part. */
  private readonly growing = new Set<HeldPrefix>();
  private readonly byLeaf = new Map<string, Array<{ running: Running<E>; leaf: number }>>();
  private used = 0;
  private leafCells = 0;
  private clear = false;
  /** A plan found no room: nobody behind it may take what it waits for. */
  private closed = false;

  constructor(private readonly context: ContextState<E>) {
    context.wave += 1;
  }

  /** Tokens left of the wave. */
  get left(): number {
    return Math.max(0, this.context.bounds.waveTokens - this.used);
  }

  /** The wave starts on an empty context. */
  startEmpty(): void {
    this.context.reset();
    this.clear = true;
  }

  /**
   * Gives a plan its place on the context; null where there is no room beside those that run. Room is for its
   * prefix, and for the longest leaf of anyone: then the oldest plan can always go on.
   */
  admit(entry: E): Running<E> | null {
    if (this.closed) return null;
    if (!this.hasRoom(entry)) {
      if (this.context.running.length > 0 || this.used > 0) {
        this.closed = true;
        return null;
      }
      // Alone it fits, but not beside the head.
      this.startEmpty();
    }
    const { held, running } = this.context;
    const prefix = held.find(entry.plan.prefixKey) ?? this.newPrefix(entry);
    prefix.users += 1;
    const admitted = { entry, prefix, nextLeaf: 0, logits: [] };
    running.push(admitted);
    return admitted;
  }

  /** Whether a plan fits beside those that run, once idle prefixes are forgotten. */
  private hasRoom({ plan }: E): boolean {
    const { held, bounds, running, sequences } = this.context;
    const known = held.find(plan.prefixKey);
    const leaf = Math.max(longestLeaf(plan), ...running.map((other) => longestLeaf(other.entry.plan)));
    const cells = (known === undefined ? plan.prefix.length : 0) + Math.max(leaf, this.leafCells);
    const wanted = known === undefined ? 2 : 1;
    this.phases[0].removals.push(...held.makeRoom(cells, wanted, known));
    return bounds.cells - held.cells >= cells && sequences.left >= wanted;
  }

  /** Takes as much of a running plan as the budget of tokens allows; the first piece of a wave may exceed it. */
  advance(running: Running<E>, budget: number): void {
    const { prefix } = running;
    const start = prefix.done;
    const chunk = Math.min(prefix.tokens.length - start, budget);
    if (start < prefix.tokens.length && chunk <= 0) return;
    this.touched.add(running);
    prefix.lastWave = this.context.wave;
    prefix.done += chunk;
    this.used += chunk;
    const leaves = prefix.done === prefix.tokens.length ? this.takeLeaves(running, budget - chunk) : [];
    const sequences = leaves.map(({ sequence }) => sequence);
    const coupled =
      chunk * (leaves.length + 1) <= this.context.sharing.coupledProductMax && !this.growing.has(prefix);
    const phase = this.phases[coupled ? 1 : 2];
    if (coupled ? start > 0 : true)
      for (const to of sequences) phase.copies.push({ from: prefix.sequence, to });
    if (chunk > 0) {
      this.growing.add(prefix);
      this.phases[1].streams.push({
        tokens: prefix.tokens.subarray(start, prefix.done),
        position: start,
        sequences: coupled ? [prefix.sequence, ...sequences] : [prefix.sequence],
      });
    }
    for (const { leaf, sequence, answered } of leaves) {
      const { tokens, options } = leaf;
      phase.streams.push({ tokens, options, position: prefix.tokens.length, sequences: [sequence] });
      phase.answered.push(answered);
    }
  }

  /** The wave; null where nothing was taken. Plans whose last leaf is in it leave the context. */
  finish(): Wave<E> | null {
    const { context } = this;
    for (const sequence of this.leafSequences) context.sequences.give(sequence);
    for (const running of context.running.filter(isWhole)) running.prefix.users -= 1;
    context.running = context.running.filter((running) => !isWhole(running));
    if (this.touched.size === 0) return null;
    const removals = [...this.leafSequences, ...context.held.trim()];
    return {
      task: { clear: this.clear, phases: this.phases.filter(hasWork).map(asPhase), removals },
      answered: this.phases.flatMap((phase) => phase.answered),
      running: [...this.touched],
    };
  }

  private newPrefix({ plan }: E): HeldPrefix {
    const { held } = this.context;
    const prefix = held.add(plan.prefixKey, plan.prefix);
    if (!this.context.startsWithHead(plan.prefix)) return prefix;
    const head = held.find(HEAD_KEY) ?? this.newHead();
    if (head === null) return prefix;
    this.phases[1].copies.push({ from: head.sequence, to: prefix.sequence });
    prefix.done = head.tokens.length;
    return prefix;
  }

  /** Computes the head, before anything else of the wave; null where there is no room for it. */
  private newHead(): HeldPrefix | null {
    const { held, sequences, sharing, bounds } = this.context;
    if (sequences.left < 2 || bounds.cells - held.cells < sharing.head.length + bounds.cells / 2) return null;
    const head = held.add(HEAD_KEY, sharing.head);
    // Its user is the context: it is never forgotten.
    head.users = 1;
    head.done = head.tokens.length;
    this.phases[0].streams.push({ tokens: head.tokens, position: 0, sequences: [head.sequence] });
    return head;
  }

  private takeLeaves(running: Running<E>, budget: number) {
    const { bounds, held, sequences } = this.context;
    const { leaves } = running.entry.plan;
    const taken: Array<{ leaf: Leaf; sequence: number; answered: Answered<E> }> = [];
    let left = budget;
    for (; running.nextLeaf < leaves.length; running.nextLeaf++) {
      const leaf = leaves[running.nextLeaf] as Leaf;
      const twin = this.byLeaf.get(leafKey(running.prefix, leaf));
      if (twin !== undefined) {
        twin.push({ running, leaf: running.nextLeaf });
        continue;
      }
      const { length } = leaf.tokens;
      const fits = length <= left || this.used === 0;
      const room = sequences.left > 0 && held.cells + this.leafCells + length <= bounds.cells;
      if (!fits || !room) break;
      const sequence = sequences.take();
      const answered = [{ running, leaf: running.nextLeaf }];
      this.byLeaf.set(leafKey(running.prefix, leaf), answered);
      this.leafSequences.push(sequence);
      this.leafCells += length;
      this.used += length;
      left -= length;
      taken.push({ leaf, sequence, answered });
    }
    return taken;
  }
}

const isWhole = <E extends Entry>({ nextLeaf, entry }: Running<E>) => nextLeaf === entry.plan.leaves.length;

const hasWork = <E extends Entry>({ removals, copies, streams }: DraftPhase<E>) =>
  removals.length + copies.length + streams.length > 0;

const asPhase = <E extends Entry>({ removals, copies, streams }: DraftPhase<E>): Phase => ({
  removals,
  copies,
  streams,
});

/** Equal for leaves with the same tokens and options on the same prefix. */
function leafKey(prefix: HeldPrefix, { tokens, options }: Leaf): string {
  const text = (list: Int32Array) =>
    Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('latin1');
  return `${prefix.sequence} ${tokens.length} ${text(tokens)}${text(options)}`;
}
