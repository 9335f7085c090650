import { type Clock, ThreadStartError } from '../../../src/base/index.js';
import { Engine } from '../../../src/engine/index.js';
import type { WaveResult, WaveTask } from '../../../src/engine/wave/task.js';
import { BOUNDS, COLD } from '../engine.js';
import { markOf } from './test-engine.js';

/** What is wrong with the thread: it does not start, or it starts and computes nothing. */
type Fault = 'start' | 'waves' | null;

/** A real engine of one lane, whose thread a test breaks and mends. */
export class BreakableEngine {
  fault: Fault = null;
  /** Lines with which every wave fails, by their custom ids. */
  readonly poison = new Set<string>();
  /** The marks of the lines of each wave that was begun (`markOf`). */
  readonly waves: number[][] = [];
  readonly engine: Engine;
  private held: Promise<void> | null = null;
  private release = () => {};

  constructor(clock: Clock) {
    const thread = { number: 1, ready: () => this.ready(), run: (task: WaveTask) => this.run(task) };
    this.engine = new Engine([thread], {
      bounds: BOUNDS,
      sharing: COLD,
      queueMax: 256,
      deadlineMs: 1e9,
      clock,
    });
  }

  /** The next waves do not end before `letGo`. */
  hold(): void {
    this.held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  letGo(): void {
    this.held = null;
    this.release();
  }

  private async ready() {
    if (this.fault === 'start') throw new ThreadStartError('no device');
    return { head: new Int32Array(0), images: null };
  }

  private async run(task: WaveTask): Promise<WaveResult> {
    const asked = task.phases
      .flatMap(({ streams }) => streams)
      .filter(({ options }) => options !== undefined);
    const marks = asked.map(({ tokens }) => tokens.at(-1) as number);
    this.waves.push(marks);
    await this.held;
    if (this.fault === 'start') throw new ThreadStartError('no device');
    const isPoisoned = [...this.poison].some((id) => marks.includes(markOf(id)));
    if (this.fault === 'waves' || isPoisoned) throw new Error('the device is lost');
    return marks.map((mark) => Float32Array.of((mark % 1_009) / 1_009, 0.5));
  }
}
