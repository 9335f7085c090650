import type { Amount } from '../../../src/access/index.js';
import { availableOf } from '../../../src/storage/database/ledger/grant.js';
import type { Random } from '../random.js';
import { accountIn, chargedIn, type LedgerTables, type Terms } from './ledger-tables.js';

/** The session of the other node. */
const OTHER = 1_000;

/** Another node, which changes the tables between the statements of the node under test. */
export class OtherNode {
  constructor(
    private readonly tables: LedgerTables,
    private readonly source: Random,
    private readonly now: () => number,
  ) {}

  /** Leases credit of a workspace, as much as there is. */
  take(workspace: string, wanted: Amount): void {
    const { rows, isLocked } = this.tables;
    if (isLocked) return;
    const account = accountIn(rows, workspace, this.now());
    const available = availableOf({
      ...account,
      budgetCharged: account.monthCharged,
      ...(this.tables.workspaces.get(workspace) as Terms),
    });
    const amount = wanted < available ? wanted : available;
    if (amount <= 0n) return;
    const lease = rows.leases.get(`${workspace} ${OTHER}`);
    rows.accounts.set(workspace, { ...account, leased: account.leased + amount });
    rows.leases.set(`${workspace} ${OTHER}`, {
      amount: (lease?.amount ?? 0n) + amount,
      exact: account.exact,
    });
  }

  /** Charges some of its lease, and returns the rest. Returns what it has charged. */
  returnAll(workspace: string): Amount {
    const { rows, isLocked } = this.tables;
    const lease = rows.leases.get(`${workspace} ${OTHER}`);
    if (isLocked || lease === undefined) return 0n;
    const account = accountIn(rows, workspace, this.now());
    const charged = BigInt(this.source.integer(Number(lease.amount) + 1));
    rows.accounts.set(workspace, {
      ...account,
      charged: account.charged + charged,
      monthCharged: account.monthCharged + charged,
      leased: account.leased - lease.amount,
    });
    const day = `${workspace} ${account.month}-01`;
    rows.usage.set(day, (rows.usage.get(day) ?? 0n) + charged);
    rows.leases.delete(`${workspace} ${OTHER}`);
    return charged;
  }
}

/**
 * Throws unless the accounts are the sums of their leases and counters.
 *
 * @param posted what all nodes have charged, by workspace
 * @param mayExceed whether credit was taken back, so that more may be charged than is granted
 */
export function checkBooks(
  { rows, workspaces }: LedgerTables,
  posted: ReadonlyMap<string, Amount>,
  mayExceed: boolean,
): void {
  for (const [workspace, { charged, leased }] of rows.accounts) {
    const leases = [...rows.leases].filter(([name]) => name.startsWith(`${workspace} `));
    const sum = leases.reduce((total, [, { amount }]) => total + amount, 0n);
    const used = chargedIn(rows.usage, workspace);
    if (leased !== sum || charged !== used) throw new Error(`the account of ${workspace} does not add up`);
    if (charged !== (posted.get(workspace) ?? 0n)) throw new Error(`charges of ${workspace} are lost`);
    const { granted } = workspaces.get(workspace) as Terms;
    if (!mayExceed && charged + leased > granted) throw new Error(`${workspace} was overspent`);
  }
}
