import type { Amount, Charge } from '../../../access/index.js';

/** What is to be added to one counter of usage. The database adds the day. */
export interface UsageDelta {
  readonly workspace: string;
  readonly key: string;
  readonly model: string;
  readonly kind: string;
  readonly price: Amount;
  readonly requests: number;
  readonly inputTokens: number;
  readonly amount: Amount;
}

/** Usage that is not written yet, summed by counter. */
export class UnwrittenUsage {
  private deltas = new Map<string, UsageDelta>();

  /** Counters that are to be changed. */
  get count(): number {
    return this.deltas.size;
  }

  add(workspace: string, key: string, { model, kind, price, inputTokens }: Charge, amount: Amount): void {
    this.merge({ workspace, key, model, kind, price, requests: 1, inputTokens, amount });
  }

  /** Returns everything, and forgets it. */
  take(): UsageDelta[] {
    const taken = [...this.deltas.values()];
    this.deltas = new Map();
    return taken;
  }

  /** Adds what was taken and not written. */
  putBack(taken: readonly UsageDelta[]): void {
    for (const delta of taken) this.merge(delta);
  }

  private merge(delta: UsageDelta): void {
    const name = [delta.workspace, delta.key, delta.model, delta.kind, delta.price].join('\0');
    const known = this.deltas.get(name);
    this.deltas.set(name, known === undefined ? delta : sum(known, delta));
  }
}

const sum = (one: UsageDelta, other: UsageDelta): UsageDelta => ({
  ...one,
  requests: one.requests + other.requests,
  inputTokens: one.inputTokens + other.inputTokens,
  amount: one.amount + other.amount,
});
