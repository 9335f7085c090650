import { growTrie, NONE, type Trie } from './trie.js';

/** A reference in a string: the code units from `start` to `end`. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** The index in the list of references. */
  readonly reference: number;
}

interface Held {
  start: number;
  end: number;
  reference: number;
}

/** Not a state: the search is over. */
const OVER = -1;

const PAIRS = 65_536;
const pairAt = (first: number, second: number) => (first * 31 + second) % PAIRS;

/**
 * Finds references in strings: literal, case-sensitive, from left to right, without overlaps; the longest of those that
 * begin at the same place (contract 4.3 rules 3 and 5). An Aho-Corasick automaton with one addition: a match is held
 * back while a reference that begins no later can still end.
 *
 * Packages with leftmost-longest matching were rejected: they match graphemes and take minutes for crafted strings.
 */
export class ReferenceSearch {
  private readonly edge: Int32Array;
  /** By state: the offset of its row in `branchTable`; 0, a row of zeros: no branch. */
  private readonly row: Int32Array;
  /** By code unit: its column in `branchTable`; 0: no branch. */
  private readonly column = new Int32Array(65_536);
  /** The child state; 0: none. Small enough for the processor's cache. */
  private readonly branchTable: Int32Array;
  /** By `pairAt`: 0 if no reference begins with these two units, which holds for most places of most strings. */
  private readonly pairs = new Uint8Array(PAIRS);
  /** By state: the state of the longest proper suffix that begins a reference. */
  private readonly fallback: Int32Array;
  private readonly depth: Int32Array;
  /** By state: the longest reference that ends there. */
  private readonly ending: Int32Array;
  private readonly lengths: Int32Array;

  /** @param references distinct, not empty, without lone surrogates. Memory: their units plus their number squared. */
  constructor(references: readonly string[]) {
    const trie = growTrie(references);
    this.lengths = Int32Array.from(references, ({ length }) => length);
    this.edge = trie.edge;
    this.depth = trie.depth;
    this.ending = trie.ending;
    const rowOf = numbered(trie.branches.map(({ from }) => from));
    const columnOf = numbered(trie.branches.map(({ unit }) => unit));
    const columns = columnOf.size + 1;
    this.row = new Int32Array(trie.edge.length);
    for (const [state, row] of rowOf) this.row[state] = row * columns;
    for (const [unit, column] of columnOf) this.column[unit] = column;
    this.branchTable = new Int32Array((rowOf.size + 1) * columns);
    for (const { from, unit, to } of trie.branches) {
      this.branchTable[(this.row[from] as number) + (this.column[unit] as number)] = to;
    }
    this.markPairs(references);
    this.fallback = new Int32Array(trie.edge.length);
    this.link(trie);
  }

  /**
   * The first `max` references of a string, in order. Time is linear in the string for any input, plus at most the
   * length of the longest reference per match.
   */
  find(text: string, max: number): Found[] {
    const found: Found[] = [];
    for (let at = 0; found.length < max; ) {
      const next = this.next(text, at);
      if (next === null) break;
      found.push(next);
      at = next.end;
    }
    return found;
  }

  /** The first reference from `from` on. */
  private next(text: string, from: number): Found | null {
    const held = { start: text.length, end: text.length, reference: NONE };
    for (let [at, state] = [from, 0]; at < text.length && state !== OVER; at += WINDOW_UNITS) {
      state = this.walk(unitsFrom(text, at), at, state, held);
    }
    return held.reference === NONE ? null : held;
  }

  /**
   * Feeds code units, which begin at `from`, to the automaton and stores the match in `held`.
   * One flat loop over locals, because it runs once per code unit of every string.
   *
   * @returns the state after them, or `OVER` if no reference that begins at or before the held match can still end
   */
  private walk(units: Uint16Array, from: number, before: number, held: Held): number {
    const { edge, row, column, branchTable, fallback, depth, ending, lengths, pairs } = this;
    let state = before;
    for (let index = 0; index < units.length; index += 1) {
      const unit = units[index] as number;
      if (state === 0 && index + 1 < units.length && pairs[pairAt(unit, units[index + 1] as number)] === 0) {
        continue;
      }
      const place = column[unit] as number;
      for (;;) {
        if (edge[state] === unit) {
          state += 1;
          break;
        }
        const child = branchTable[(row[state] as number) + place] as number;
        if (child !== 0) {
          state = child;
          break;
        }
        if (state === 0) break;
        state = fallback[state] as number;
      }
      const at = from + index + 1;
      if (at - (depth[state] as number) > held.start) return OVER;
      const ended = ending[state] as number;
      if (ended === NONE) continue;
      const start = at - (lengths[ended] as number);
      if (start <= held.start) [held.reference, held.start, held.end] = [ended, start, at];
    }
    return state;
  }

  private step(from: number, unit: number): number {
    const place = this.column[unit] as number;
    for (let state = from; ; state = this.fallback[state] as number) {
      if (this.edge[state] === unit) return state + 1;
      const child = this.branchTable[(this.row[state] as number) + place] as number;
      if (child !== 0) return child;
      if (state === 0) return 0;
    }
  }

  private markPairs(references: readonly string[]): void {
    for (const reference of references) {
      if (reference.length === 1) this.pairs.fill(1);
      else this.pairs[pairAt(reference.charCodeAt(0), reference.charCodeAt(1))] = 1;
    }
  }

  /** Computes fallbacks level by level: the fallback of a state is nearer to the root. */
  private link({ edge, branches }: Trie): void {
    const childrenOf = new Map<number, number[]>();
    for (const { from, to } of branches) childrenOf.set(from, [...(childrenOf.get(from) ?? []), to]);
    const unitOf = new Map(branches.map(({ unit, to }) => [to, unit]));
    const queue = [0];
    for (const state of queue) {
      const children = [...(childrenOf.get(state) ?? [])];
      if (edge[state] !== NONE) children.push(state + 1);
      for (const child of children) {
        const unit = unitOf.get(child) ?? (edge[state] as number);
        const suffix = state === 0 ? 0 : this.step(this.fallback[state] as number, unit);
        this.fallback[child] = suffix;
        if (this.ending[child] === NONE) this.ending[child] = this.ending[suffix] as number;
        queue.push(child);
      }
    }
  }
}

/** Numbers distinct values from 1, in order of appearance. */
function numbered(values: readonly number[]): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size + 1);
  return numbers;
}

/** Small enough for the processor's cache. */
const WINDOW_UNITS = 16_384;

const bytes = Buffer.alloc(WINDOW_UNITS * 2);
const view = new Uint16Array(bytes.buffer, bytes.byteOffset, WINDOW_UNITS);

/**
 * The code units of a string from `from`, at most `WINDOW_UNITS`; valid until the next call. Reading them from a typed
 * array is twice as fast as from strings, whose representation varies.
 */
function unitsFrom(text: string, from: number): Uint16Array {
  const part = from === 0 && text.length <= WINDOW_UNITS ? text : text.slice(from, from + WINDOW_UNITS);
  bytes.write(part, 'utf16le');
  return view.subarray(0, part.length);
}
