import type { Entry } from './scheduler/scheduler-types.js';
import type { Plan, PlanLogits } from './wave/wave-types.js';

/** The result of a plan. */
export interface EngineAnswer {
  readonly logits: PlanLogits;
  /** From the call to the start of its first wave. */
  readonly queueMs: number;
  /** From then to the end of its last wave. */
  readonly computeMs: number;
}

/**
 * A plan from `Engine.run` to its answer. It settles once; later calls do nothing, because a plan that left in the
 * middle of a wave is complete when the wave ends.
 */
export class Pending implements Entry {
  dropped = false;
  /** Waves with this plan that failed. */
  attempts = 0;
  /** When its first wave started. */
  started: number | null = null;
  readonly answer: Promise<EngineAnswer>;
  private isSettled = false;
  private onSettled: Array<() => void> = [];
  private settle!: { resolve(answer: EngineAnswer): void; reject(error: unknown): void };

  /**
   * @param since when the plan was queued; like all times here, on the monotonic clock
   * @param label its name in the record of what waves compute
   */
  constructor(
    readonly plan: Plan,
    private readonly since: number,
    readonly label: string | null,
    public alone: boolean,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  /** Calls back when the plan settles. */
  finally(callback: () => void): void {
    this.onSettled.push(callback);
  }

  resolve(logits: PlanLogits, now: number): void {
    if (!this.end()) return;
    const started = this.started ?? now;
    this.settle.resolve({ logits, queueMs: started - this.since, computeMs: now - started });
  }

  /** Also after the caller has left or was answered: waves that hold the plan leave it out. */
  reject(error: unknown): void {
    this.dropped = true;
    if (this.end()) this.settle.reject(error);
  }

  private end(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    for (const callback of this.onSettled) callback();
    return true;
  }
}
