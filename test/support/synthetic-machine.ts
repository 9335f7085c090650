import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, random } from '../../src/base/index.js';
import {
  type Addon,
  type DecodeBatch,
  Engine,
  type NativeContext,
  runWave,
  type Sharing,
  type WaveBounds,
} from '../../src/engine/index.js';
import { sizesOf } from '../../src/tuning/choice/engine-choice.js';
import { type Costs, decodeTime } from '../../src/tuning/simulation/cost-model.js';
import type { OpenEngine } from '../../src/tuning/verification/run-workloads.js';
import { addon, never } from './engine.js';

/** A machine on which decodes take what a cost model says, times a factor: 1, or random noise. */
export interface SyntheticMachine {
  readonly costs: Costs;
  readonly clock: VirtualClock;
  factor(): number;
}

/** Noise that slows some decodes down: most by up to `most` − 1, at random. */
export function noise(seed: number, most: number): () => number {
  const source = random(seed);
  return () => 1 + (most - 1) * source.number();
}

/** Time that jumps to the next timer as soon as nothing else happens. */
export class VirtualClock implements Clock {
  private time = 0;
  private readonly timers = new Map<object, { readonly at: number; readonly callback: () => void }>();
  private running = false;

  now = () => this.time;
  monotonic = () => this.time;
  certainFor = () => Number.POSITIVE_INFINITY;
  settled = () => this.time;

  after(ms: number, callback: () => void): () => void {
    const key = {};
    this.timers.set(key, { at: this.time + ms, callback });
    void this.run();
    return () => void this.timers.delete(key);
  }

  /** For work that blocks the thread. */
  pass(ms: number): void {
    this.time += ms;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    for (;;) {
      await nextTurn();
      const [first] = [...this.timers].sort(([, a], [, b]) => a.at - b.at);
      if (first === undefined) break;
      const [key, { at, callback }] = first;
      this.timers.delete(key);
      this.time = Math.max(this.time, at);
      callback();
    }
    this.running = false;
  }
}

/** A context of a synthetic machine: keeps the cells of sequences, and returns logits that depend on nothing. */
class SyntheticContext implements NativeContext {
  /** The sequences of each cell in use. */
  private cells: Array<Set<number>> = [];

  /**
   * @param freePerToken free cells that a decode scans per token
   * @param spend called with what a decode takes, in milliseconds
   */
  constructor(
    private readonly machine: SyntheticMachine,
    private readonly freePerToken: number,
    private readonly spend: (ms: number) => void,
  ) {}

  decode({ positions, sequences, sequenceOffsets, slots, optionTokens }: DecodeBatch): Float32Array {
    positions.forEach((_, at) => {
      this.cells.push(new Set(sequences.subarray(sequenceOffsets[at], sequenceOffsets[at + 1])));
    });
    const tokens = positions.length;
    const visible = positions.reduce((sum, position) => sum + position + 1, 0);
    const cells = this.cells.length + tokens * this.freePerToken;
    const ms = decodeTime(this.machine.costs, { tokens, cells, visible, rows: slots.length });
    this.spend(ms * this.machine.factor());
    return Float32Array.from(optionTokens, (token) => token % 7);
  }

  copySequence(from: number, to: number): void {
    for (const cell of this.cells) if (cell.has(from)) cell.add(to);
  }

  removeSequence(sequence: number): void {
    for (const cell of this.cells) cell.delete(sequence);
    this.cells = this.cells.filter((cell) => cell.size > 0);
  }

  erase(): void {}

  clear(): void {
    this.cells = [];
  }

  memory = () => [];
  close(): void {}
}

/** The real addon with contexts of a synthetic machine, whose decodes take time of its clock. */
export function syntheticAddon(machine: SyntheticMachine): Addon {
  const createContext = () => new SyntheticContext(machine, 0, (ms) => machine.clock.pass(ms));
  return { ...addon, createContext };
}

/** Engines of a synthetic machine: the real queue and scheduler, with waves that take time of its clock. */
export function syntheticEngines(machine: SyntheticMachine, cells: number, sharing: Sharing): OpenEngine {
  return async (choice) => {
    const { bounds, contexts } = sizesOf(choice, cells, '');
    const lanes = Array.from({ length: contexts }, (_, at) => syntheticThread(machine, bounds, at + 1));
    const { clock } = machine;
    const engine = new Engine(lanes, { bounds, sharing, queueMax: 10_000, deadlineMs: 1e9, clock });
    return {
      run: (plan) => engine.run(plan, { signal: new AbortController().signal }),
      close: async () => engine.close(),
    };
  };
}

function syntheticThread(machine: SyntheticMachine, bounds: WaveBounds, number: number) {
  let ms = 0;
  const context = new SyntheticContext(machine, machine.costs.freeCellsPerToken, (each) => {
    ms += each;
  });
  return {
    number,
    ready: async () => ({ head: new Int32Array(0), images: null }),
    async run(task: Parameters<typeof runWave>[1]) {
      ms = 0;
      const results = runWave(context, task, bounds, never());
      await new Promise<void>((resolve) => machine.clock.after(ms, resolve));
      return results;
    },
  };
}
