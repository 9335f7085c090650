import type { Engine, Plan, RunOptions } from '../../src/engine/index.js';
import type { Engines } from '../../src/server/engines.js';
import { until } from './until.js';

/**
 * Stands between a server's batches and its engines: lets lines through, holds them back, fails them, or takes a model
 * away. Live requests pass by, but for a model that is away.
 */
export class EngineGate {
  /** Models without an engine, by the id of their build. */
  readonly missing = new Set<string>();
  /** How many tries of lines have come. */
  started = 0;
  /** What the next tries end with, before they reach an engine. */
  readonly faults: Error[] = [];
  private readonly waiting = new Set<() => void>();
  private room: number | null = null;

  constructor(engines: Engines) {
    const get = engines.get.bind(engines);
    const wrapped = new Map<Engine, Engine>();
    engines.get = (build, set) => {
      const engine = this.missing.has(build) ? undefined : get(build, set);
      if (engine === undefined) return undefined;
      const known = wrapped.get(engine) ?? this.wrap(engine);
      wrapped.set(engine, known);
      return known;
    };
  }

  /** From now on lines wait here, so many at one time; no other is taken on. */
  hold(room = 1): void {
    this.room = room;
  }

  /** Resolves when at least one line waits here. */
  held(): Promise<void> {
    return until(() => this.waiting.size > 0);
  }

  /** Lets the lines through that wait here. */
  release(): void {
    for (const pass of [...this.waiting]) pass();
  }

  /** Lets everything through from now on. */
  open(): void {
    this.room = null;
    this.missing.clear();
    this.faults.length = 0;
    this.release();
  }

  private wrap(engine: Engine): Engine {
    return Object.create(engine, {
      run: {
        value: async (plan: Plan, options: RunOptions) => {
          if (options.urgency === 'batch') await this.pass(options);
          return engine.run(plan, options);
        },
      },
      wantsBatch: {
        get: () => (this.room === null || this.waiting.size < this.room) && engine.wantsBatch,
      },
    });
  }

  private async pass({ signal, onQueued }: RunOptions): Promise<void> {
    this.started += 1;
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    if (this.room === null) return;
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(leave);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      this.waiting.add(leave);
      onQueued?.();
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
