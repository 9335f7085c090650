import type { Plan } from '../../src/engine/index.js';
import type { Scheduler, Urgency } from '../../src/engine/scheduler/scheduler.js';
import type { WaveTask } from '../../src/engine/wave/task.js';
import type { WaveBounds } from '../../src/engine/wave/wave-types.js';

/** A plan that waits at a scheduler, as the tests of it see one. */
export interface Entry {
  readonly plan: Plan;
  readonly urgency: Urgency;
  dropped: boolean;
  alone?: boolean;
  waits?: boolean;
  answers: number;
}

/** Plays tasks on a cache of plain lists. */
export class Cache {
  private readonly lists = new Map<number, readonly number[]>();

  constructor(private readonly bounds: WaveBounds) {}

  /** Returns what each answer slot saw. */
  play(task: WaveTask): number[][] {
    const seen: number[][] = [];
    if (task.clear) this.lists.clear();
    for (const { removals, copies, streams } of task.phases) {
      for (const sequence of removals) this.lists.delete(sequence);
      for (const { from, to } of copies) {
        if (this.lists.has(to)) throw new Error('a copy onto a sequence in use');
        this.lists.set(to, this.lists.get(from) ?? []);
      }
      for (const { tokens, position, sequences, options } of streams) {
        const lists = sequences.map((sequence) => this.lists.get(sequence) ?? []);
        for (const list of lists) {
          if (list.length !== position) throw new Error(`a stream at ${position} on ${list.length} tokens`);
          if (list.some((token, i) => token !== lists[0]?.[i])) throw new Error('coupled, but not equal');
        }
        const whole = [...(lists[0] ?? []), ...tokens];
        for (const sequence of sequences) {
          if (sequence < 0 || sequence >= this.bounds.sequences) throw new Error('no such sequence');
          this.lists.set(sequence, whole);
        }
        if (options !== undefined) seen.push(whole);
      }
      this.checkCells();
    }
    for (const sequence of task.removals) this.lists.delete(sequence);
    return seen;
  }

  get sequences(): number {
    return this.lists.size;
  }

  /** Cells: equal beginnings count once. Tokens of different prefixes differ, so a position and token name one. */
  private checkCells(): void {
    const cells = new Set<number>();
    for (const list of this.lists.values()) {
      for (const [position, token] of list.entries()) cells.add(token * 4_096 + position);
    }
    if (cells.size > this.bounds.cells) throw new Error(`${cells.size} cells of ${this.bounds.cells}`);
  }
}

/** The owner suffixes: it waits no more, and is not wanted where it runs. */
export function drop(entry: Entry | undefined, scheduler: Scheduler<Entry>): void {
  if (entry === undefined || entry.answers > 0) return;
  entry.dropped = true;
  scheduler.remove(entry);
}

/** The tokens that a wave computes. */
export function tokensOf({ phases }: WaveTask): number {
  const streams = phases.flatMap((phase) => phase.streams);
  return streams.reduce((sum, { tokens }) => sum + tokens.length, 0);
}
