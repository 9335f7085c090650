import type { FakeClock } from './opened.js';

/** A request that was answered. */
export interface NaiveCharge {
  readonly workspace: string;
  readonly key: string;
  readonly model: string;
  readonly kind: string;
  readonly price: bigint;
  readonly inputTokens: number;
  readonly month: string;
  readonly day: string;
}

export type NaiveHold = Omit<NaiveCharge, 'month' | 'day'>;

interface NaiveKey {
  readonly id: string;
  readonly workspace: string;
  readonly token: string;
  /** The last millisecond at which it works; null: there is none. */
  until: number | null;
  revoked: boolean;
  rolled: boolean;
}

const costOf = ({ price, inputTokens }: NaiveHold) => price * BigInt(inputTokens);
const sumOf = (charges: readonly NaiveHold[]) => charges.reduce((sum, charge) => sum + costOf(charge), 0n);

/**
 * The ledger a second time, as the rules tell it: lists of all that ever happened, and every sum made anew. Nothing
 * is shared with the real one, and nothing is quick.
 */
export class NaiveLedger {
  readonly grants: Array<{ workspace: string; amount: bigint }> = [];
  readonly budgets = new Map<string, bigint | null>();
  readonly keys: NaiveKey[] = [];
  /** All that was charged, and how much of that a crash leaves. */
  charges: NaiveCharge[] = [];
  private durable = 0;
  /** What is set aside for requests under way. */
  held: NaiveHold[] = [];

  constructor(private readonly clock: () => FakeClock) {}

  granted(workspace: string): bigint {
    const own = this.grants.filter((grant) => grant.workspace === workspace);
    return own.reduce((sum, { amount }) => sum + amount, 0n);
  }

  charged(workspace: string): bigint {
    return sumOf(this.charges.filter((charge) => charge.workspace === workspace));
  }

  chargedIn(workspace: string, month: string): bigint {
    return sumOf(this.charges.filter((charge) => charge.workspace === workspace && charge.month === month));
  }

  /** What is answered to a key's request of so much: null, or the error's type. */
  authenticates(key: NaiveKey): string | null {
    const over = key.until !== null && this.clock().now() > key.until;
    return key.revoked || over ? 'unauthorized' : null;
  }

  admits({ workspace }: Pick<NaiveKey, 'workspace'>): string | null {
    const month = this.month();
    if (this.granted(workspace) <= this.charged(workspace)) return 'out_of_credit';
    const budget = this.budgets.get(workspace) ?? null;
    return budget !== null && this.chargedIn(workspace, month) >= budget ? 'budget_exceeded' : null;
  }

  reserves(hold: NaiveHold): string | null {
    const { workspace } = hold;
    const month = this.month();
    const held = sumOf(this.held.filter((each) => each.workspace === workspace)) + costOf(hold);
    if (this.charged(workspace) + held > this.granted(workspace)) return 'out_of_credit';
    const budget = this.budgets.get(workspace) ?? null;
    return budget !== null && this.chargedIn(workspace, month) + held > budget ? 'budget_exceeded' : null;
  }

  post(hold: NaiveHold): void {
    this.charges.push({ ...hold, month: this.month(), day: this.today() });
  }

  /** Everything charged is on the disk. */
  flushed(): void {
    this.durable = this.charges.length;
  }

  /** The process dies: what was set aside is free, what was not on the disk was never charged. */
  crashed(): void {
    this.held = [];
    this.charges = this.charges.slice(0, this.durable);
  }

  private month(): string {
    return this.today().slice(0, 7);
  }

  private today(): string {
    return new Date(this.clock().now()).toISOString().slice(0, 10);
  }
}
