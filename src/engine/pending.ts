import type { EqualPlans } from './answers/equal-plans.js';
import type { Entry } from './scheduler/scheduler-types.js';
import type { Plan, PlanLogits } from './wave/wave-types.js';

/** The result of a plan. */
export interface EngineAnswer {
  readonly logits: PlanLogits;
  /** From the call to the start of its first wave. */
  readonly queueMs: number;
  /** From then to the end of its last wave. */
  readonly computeMs: number;
  /** Whether it is the answer of an equal plan (see `SharedAnswers`). */
  readonly isShared: boolean;
  /** Tokens of the plan's prefix that the prefix cache saved; 0 in exact mode, where a context starts empty. */
  readonly cachedTokens: number;
}

/**
 * A plan from `Engine.run` to its answer. It settles once; later calls do nothing, because a plan that left in the
 * middle of a wave is complete when the wave ends.
 */
export class Pending implements Entry {
  dropped = false;
  /** Waves with this plan that failed. One that runs alone from the start counts as having failed with others. */
  attempts: number;
  /** Waves of others that were not numbers while it was partly computed. */
  spoiled = 0;
  /** When its first wave started. */
  started: number | null = null;
  /** Plans that get the same answer; null: there are none. */
  equals: EqualPlans<Pending> | null = null;
  readonly answer: Promise<EngineAnswer>;
  private isSettled = false;
  private onSettled: Array<() => void> = [];
  private whenComputed: (logits: PlanLogits, now: number) => void = () => {};
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
    this.attempts = alone ? 1 : 0;
    this.answer = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  /** Calls back when the plan settles. */
  finally(callback: () => void): void {
    this.onSettled.push(callback);
  }

  /** Calls back when the plan has been answered with logits that were computed for it. */
  onComputed(callback: (logits: PlanLogits, now: number) => void): void {
    this.whenComputed = callback;
  }

  /** Whether an equal plan is being computed. */
  get waits(): boolean {
    return this.equals?.mustWait(this) === true;
  }

  /** A wave with it starts. */
  start(now: number): void {
    this.started ??= now;
    this.equals?.begin(this);
  }

  /** Its wave has failed. */
  lose(): void {
    this.equals?.lose(this);
  }

  /** Answers it with logits that were computed for it. */
  resolve(logits: PlanLogits, now: number, cachedTokens: number): void {
    if (!this.end()) return;
    this.settle.resolve({ logits, ...this.timesAt(now), isShared: false, cachedTokens });
    this.whenComputed(logits, now);
  }

  /** Answers it with a copy of the logits of an equal plan. */
  resolveAs(logits: PlanLogits, now: number): void {
    if (!this.end()) return;
    const own = logits.map((each) => each.slice());
    this.settle.resolve({ logits: own, ...this.timesAt(now), isShared: true, cachedTokens: 0 });
  }

  /** Also after the caller has left or was answered: waves that hold the plan leave it out. */
  reject(error: unknown): void {
    this.dropped = true;
    if (this.end()) this.settle.reject(error);
  }

  private timesAt(now: number) {
    const started = this.started ?? now;
    return { queueMs: started - this.since, computeMs: now - started };
  }

  private end(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    for (const callback of this.onSettled) callback();
    return true;
  }
}
