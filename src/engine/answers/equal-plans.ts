/**
 * Plans with the same key (see `answerKey`) that are not answered yet. One of them is computed; the others keep their
 * places in the queue, with their own deadlines, and get its answer. If it leaves or fails, another one is computed.
 */
export class EqualPlans<Plan> {
  private readonly plans = new Set<Plan>();
  private computing: Plan | null = null;

  add(plan: Plan): void {
    this.plans.add(plan);
  }

  /** The plans that are not answered. */
  get left(): readonly Plan[] {
    return [...this.plans];
  }

  get isEmpty(): boolean {
    return this.plans.size === 0;
  }

  /** Whether another plan is being computed. */
  mustWait(plan: Plan): boolean {
    return this.computing !== null && this.computing !== plan;
  }

  begin(plan: Plan): void {
    this.computing ??= plan;
  }

  /** The wave of a plan has failed: it waits again, and an equal one may come before it. */
  lose(plan: Plan): void {
    if (this.computing === plan) this.computing = null;
  }

  /** A plan has been answered or was given up. */
  remove(plan: Plan): void {
    this.lose(plan);
    this.plans.delete(plan);
  }
}
