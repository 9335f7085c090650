import type { EngineEvents } from '../engine-events.js';
import type { Pending } from '../pending.js';
import type { Plan, PlanLogits } from '../wave/wave-types.js';
import { AnswerCache } from './answer-cache.js';
import { answerKey } from './answer-key.js';
import { EqualPlans } from './equal-plans.js';

interface Queue {
  /** Removes a plan. */
  remove(pending: Pending): void;
  /** Gives plans to the lanes that are free. */
  dispatch(): void;
}

/**
 * Exact mode: equal plans of a workspace get one answer. A plan that was computed recently is answered from a cache, and
 * plans that are equal to one in progress get its answer (see `EqualPlans`).
 *
 * Only in exact mode, in which an answer depends on its plan alone. It belongs to one engine, and so to one build with its
 * files, devices and bounds: nothing is kept when the build is replaced. It keeps logits, so temperatures are applied
 * afterwards. Workspaces share nothing, because the time of an answer would show what others have asked.
 */
export class SharedAnswers {
  private readonly cache: AnswerCache;
  /** By key. */
  private readonly inProgress = new Map<string, EqualPlans<Pending>>();

  /**
   * @param bytesMax what the answers in the cache may take; 0: nothing is shared. Called at each use.
   * @param queue where the plans wait
   */
  constructor(
    private readonly bytesMax: () => number,
    private readonly events: Pick<EngineEvents, 'planAnswered' | 'answerEvicted'>,
    private readonly queue: Queue,
  ) {
    this.cache = new AnswerCache(() => events.answerEvicted());
  }

  /** Bytes that the cache takes. */
  get bytes(): number {
    return this.cache.bytes;
  }

  /** The key of a plan of a workspace; null if its answer is not shared. */
  keyOf(plan: Plan, workspace: string | undefined): string | null {
    return workspace === undefined || this.bytesMax() === 0 ? null : answerKey(workspace, plan);
  }

  /** The answer in the cache; undefined if there is none. */
  find(key: string, plan: Plan): PlanLogits | undefined {
    const logits = this.cache.get(key, plan);
    if (logits !== undefined) this.events.planAnswered('hit');
    return logits;
  }

  /** Shares the answer of a plan that waits. */
  share(key: string, pending: Pending): void {
    const equals = this.inProgress.get(key) ?? new EqualPlans<Pending>();
    this.inProgress.set(key, equals);
    equals.add(pending);
    pending.equals = equals;
    pending.finally(() => {
      equals.remove(pending);
      if (equals.isEmpty) this.inProgress.delete(key);
    });
    pending.onComputed((logits, now) => {
      this.events.planAnswered('miss');
      // From others there is no answer: the request fails. Equal ones are computed for themselves.
      if (!logits.every((each) => each.every(Number.isFinite))) return this.queue.dispatch();
      this.cache.set(key, logits, this.bytesMax());
      for (const other of equals.left) {
        this.queue.remove(other);
        other.resolveAs(logits, now);
        this.events.planAnswered('hit');
      }
    });
  }

  /** Call it after `bytesMax` has become less. */
  shrink(): void {
    this.cache.shrink(this.bytesMax());
  }
}
