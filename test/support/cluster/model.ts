import type { Amount } from '../../../src/access/index.js';
import { type AccountState, decide, type Grant } from '../../../src/storage/database/ledger/grant.js';
import type { Request } from '../../../src/storage/database/ledger/workspace-credit.js';

interface Row {
  amount: Amount;
  exact: boolean;
}

/** The database's part in the credit of one workspace, in memory: exchanges run one after the other. */
export class AccountModel {
  charged: Amount = 0n;
  leased: Amount = 0n;
  exact = false;
  readonly rows = new Map<number, Row>();

  constructor(public granted: Amount) {}

  /** An exchange that is committed. */
  exchange(node: number, { exchange, needs, wanted, isExact }: Request, nodes: number): Grant {
    const { charged, returned, isWhole } = exchange;
    const row = this.rows.get(node) ?? { amount: 0n, exact: isExact };
    row.amount -= charged + returned;
    this.leased -= charged + returned;
    this.charged += charged;
    const othersHold = [...this.rows].some(([other, { exact }]) => other !== node && !exact);
    const grant = decide(this.state, { needs, wanted, isWhole, isExact, othersHold, nodes });
    row.amount += grant.granted;
    row.exact = grant.leaseExact;
    this.leased += grant.granted;
    this.exact = grant.accountExact;
    if (row.amount === 0n) this.rows.delete(node);
    else this.rows.set(node, row);
    return grant;
  }

  /** The node's row is deleted: its lease returns. */
  reap(node: number): void {
    this.leased -= this.rows.get(node)?.amount ?? 0n;
    this.rows.delete(node);
  }

  get state(): AccountState {
    const { granted, charged, leased, exact } = this;
    return { granted, budget: null, charged, budgetCharged: charged, leased, exact };
  }
}
