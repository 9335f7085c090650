import type { DecodeBatch } from '../addon/index.js';
import { type Plan, planCells, type WaveBounds } from './types.js';

/** What a context does, in order, to answer a wave. */
export type Step =
  /** One llama_decode; `leaves` says whose logits its slots are, in order. */
  | { readonly do: 'decode'; readonly batch: DecodeBatch; readonly leaves: readonly LeafPlace[] }
  /** Sequence `to` gets the cells of `from`; no data moves. */
  | { readonly do: 'copy'; readonly from: number; readonly to: number }
  | { readonly do: 'remove'; readonly sequence: number };

/** A leaf of a wave. */
export interface LeafPlace {
  readonly plan: number;
  readonly leaf: number;
}

/**
 * How a plan's questions share its prefix.
 *
 * `coupled`: every prefix token carries the sequences of all leaves, and prefix and leaves go in one decode:
 * one pass over the weights, but bookkeeping per token and sequence.
 * `copied`: the prefix is decoded on a sequence of its own, the leaves' sequences are given its cells, and
 * the leaves follow in a second decode.
 */
export type Form = 'coupled' | 'copied';

/**
 * Prefix tokens × leaves up to which the coupled form pays. Measured bookkeeping (cells and batch, not the
 * model): 500 × 16 takes 2.3 ms coupled against 0.8 ms copied, 2,000 × 16 takes 15.5 against 4.1; the pass
 * over the weights that coupling saves takes 5 ms at 12B on an H200. `npm run bench:forms` measures it.
 */
export const COUPLED_PRODUCT_MAX = 8_192;

export function chooseForm(plan: Plan, bounds: WaveBounds): Form {
  // One leaf follows its prefix on one sequence: nothing is shared, and there is nothing to choose.
  if (plan.leaves.length === 1) return 'coupled';
  const fits =
    planCells(plan) <= Math.min(bounds.cells, bounds.batchTokens) && plan.leaves.length <= bounds.sequences;
  return fits && plan.prefix.length * plan.leaves.length <= COUPLED_PRODUCT_MAX ? 'coupled' : 'copied';
}

/** Sequences a plan needs at once when it runs in a form, with all its leaves in the cache together. */
export function planSequences(plan: Plan, form: Form): number {
  return form === 'coupled' ? plan.leaves.length : plan.leaves.length + 1;
}

/**
 * Whether plans fit into one wave together. A plan that does not fit with all its leaves at once is alone in
 * its wave, where its leaves take turns.
 */
export function fitTogether(plans: readonly Plan[], bounds: WaveBounds): boolean {
  let cells = 0;
  let sequences = 0;
  for (const plan of plans) {
    cells += planCells(plan);
    sequences += planSequences(plan, chooseForm(plan, bounds));
  }
  return plans.length === 1 || (cells <= bounds.cells && sequences <= bounds.sequences);
}

/**
 * The steps that answer a wave: the coupled plans whole and the copied plans' prefixes; then the copies; then
 * the copied plans' leaves. Decodes are cut at `batchTokens`.
 *
 * What must hold: every plan's longest prompt fits `cells`, and `fitTogether(plans)`.
 * `form` overrides the choice, for tests and benchmarks.
 */
export function buildSteps(plans: readonly Plan[], bounds: WaveBounds, form?: Form): Step[] {
  const forms = plans.map((plan) => form ?? chooseForm(plan, bounds));
  const firstSequence: number[] = [];
  let next = 0;
  plans.forEach((plan, index) => {
    firstSequence.push(next);
    next += planSequences(plan, forms[index] as Form);
  });
  const steps: Step[] = [];
  const writer = new DecodeWriter(bounds, steps);
  plans.forEach((plan, index) => {
    const first = firstSequence[index] as number;
    if (forms[index] === 'copied') writer.tokens(plan.prefix, 0, [first]);
    else writeCoupled(writer, plan, index, first);
  });
  writer.flush();
  plans.forEach((plan, index) => {
    if (forms[index] === 'copied') {
      writeCopied(writer, steps, plan, index, firstSequence[index] as number, bounds);
    }
  });
  writer.flush();
  return steps;
}

function writeCoupled(writer: DecodeWriter, plan: Plan, index: number, first: number): void {
  writer.tokens(
    plan.prefix,
    0,
    plan.leaves.map((_, leaf) => first + leaf),
  );
  plan.leaves.forEach((leaf, i) => {
    writer.leaf(leaf, plan.prefix.length, first + i, { plan: index, leaf: i });
  });
}

/** Leaves in groups that fit beside the prefix; a group's cells are given back before the next. */
function writeCopied(
  writer: DecodeWriter,
  steps: Step[],
  plan: Plan,
  index: number,
  prefixSequence: number,
  bounds: WaveBounds,
): void {
  // Alone in its wave a plan may have more leaves than there are sequences or cells for.
  const sequences = Math.min(plan.leaves.length, bounds.sequences - 1 - prefixSequence);
  let start = 0;
  while (start < plan.leaves.length) {
    let cells = plan.prefix.length;
    let end = start;
    while (end < plan.leaves.length && end - start < sequences) {
      const length = (plan.leaves[end] as Plan['leaves'][number]).tokens.length;
      if (end > start && cells + length > bounds.cells) break;
      cells += length;
      end += 1;
    }
    const group = plan.leaves.slice(start, end);
    group.forEach((_, i) => {
      steps.push({ do: 'copy', from: prefixSequence, to: prefixSequence + 1 + i });
    });
    group.forEach((leaf, i) => {
      writer.leaf(leaf, plan.prefix.length, prefixSequence + 1 + i, { plan: index, leaf: start + i });
    });
    if (end < plan.leaves.length) {
      writer.flush();
      group.forEach((_, i) => {
        steps.push({ do: 'remove', sequence: prefixSequence + 1 + i });
      });
    }
    start = end;
  }
}

/** Collects tokens into decodes and ends a decode where a bound is reached. */
class DecodeWriter {
  private tokenIds: number[] = [];
  private positions: number[] = [];
  private sequenceOffsets: number[] = [0];
  private sequences: number[] = [];
  private slots: number[] = [];
  private optionOffsets: number[] = [0];
  private optionTokens: number[] = [];
  private leaves: LeafPlace[] = [];

  constructor(
    private readonly bounds: WaveBounds,
    private readonly steps: Step[],
  ) {}

  tokens(tokens: Int32Array, position: number, sequences: readonly number[]): void {
    for (let i = 0; i < tokens.length; i++) {
      if (this.tokenIds.length === this.bounds.batchTokens) this.flush();
      this.tokenIds.push(tokens[i] as number);
      this.positions.push(position + i);
      this.sequences.push(...sequences);
      this.sequenceOffsets.push(this.sequences.length);
    }
  }

  leaf(leaf: Plan['leaves'][number], position: number, sequence: number, place: LeafPlace): void {
    this.tokens(leaf.tokens, position, [sequence]);
    this.slots.push(this.tokenIds.length - 1);
    this.optionTokens.push(...leaf.options);
    this.optionOffsets.push(this.optionTokens.length);
    this.leaves.push(place);
  }

  /** Fills the last micro-batch up, on the sequence after those of the plans. Returns whether it had to. */
  private pad(): boolean {
    const { microBatchTokens, microBatchTokensMin, sequences } = this.bounds;
    const rest = this.tokenIds.length % microBatchTokens;
    if (rest === 0 || rest >= microBatchTokensMin) return false;
    for (let position = 0; position < microBatchTokensMin - rest; position++) {
      this.tokenIds.push(0);
      this.positions.push(position);
      this.sequences.push(sequences);
      this.sequenceOffsets.push(this.sequences.length);
    }
    return true;
  }

  flush(): void {
    if (this.tokenIds.length === 0) return;
    const padded = this.pad();
    this.steps.push({
      do: 'decode',
      leaves: this.leaves,
      batch: {
        tokens: Int32Array.from(this.tokenIds),
        positions: Int32Array.from(this.positions),
        sequenceOffsets: Int32Array.from(this.sequenceOffsets),
        sequences: Int32Array.from(this.sequences),
        slots: Int32Array.from(this.slots),
        optionOffsets: Int32Array.from(this.optionOffsets),
        optionTokens: Int32Array.from(this.optionTokens),
      },
    });
    if (padded) this.steps.push({ do: 'remove', sequence: this.bounds.sequences });
    this.tokenIds = [];
    this.positions = [];
    this.sequenceOffsets = [0];
    this.sequences = [];
    this.slots = [];
    this.optionOffsets = [0];
    this.optionTokens = [];
    this.leaves = [];
  }
}
