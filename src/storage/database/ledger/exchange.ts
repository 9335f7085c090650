import { type Amount, type BudgetMonths, dayOf } from '../../../access/index.js';
import type { Database, Transaction } from '../postgres/database.js';
import { ensure } from '../session/defect.js';
import { fence } from '../session/fence.js';
import { type LockedAccount, lockAccounts } from './account-rows.js';
import { type AccountState, decide, type Grant } from './grant.js';
import type { TakenChanges } from './part.js';
import type { UsageDelta } from './unwritten-usage.js';
import type { Request } from './workspace-credit.js';
import { type AccountChange, writeAccounts, writeNumber, writeUsage } from './write-exchange.js';

/** What a node exchanges with the database in one transaction: charges and unused credit for more credit. */
export interface Exchanged {
  readonly session: number;
  /** Counts the exchanges of the session, from 1. */
  readonly number: number;
  /** The nodes of the cluster, at least 1. */
  readonly nodes: number;
  /** By workspace. It has every workspace of `usage`. */
  readonly requests: ReadonlyMap<string, Request>;
  readonly usage: readonly UsageDelta[];
  readonly parts: readonly TakenChanges[];
}

/** An account as the exchange left it. */
export interface KnownAccount {
  readonly charged: Amount;
  /** The months at the exchange, and what counts against the budget in them. */
  readonly months: BudgetMonths;
  readonly budgetCharged: Amount;
}

export interface ExchangeResult {
  readonly grant: Grant;
  readonly account: KnownAccount;
  /** Whether the exchange has made the leases of the workspace exact. */
  readonly becameExact: boolean;
}

/**
 * Writes an exchange. Returns the result of each request, by workspace; `onComputed` gets them before the commit. Throws
 * SessionLost; SessionDefect if the database does not have what this node has, as after a failover to a replica that lacks
 * the last exchange; and what `Database.transaction` throws.
 */
export function exchange(
  database: Database,
  work: Exchanged,
  onComputed: (results: ReadonlyMap<string, ExchangeResult>) => void,
): Promise<ReadonlyMap<string, ExchangeResult>> {
  return database.transaction(async (transaction) => {
    // Before anything is written: what the node holds follows from its previous exchange.
    const last = await fence(transaction, work.session);
    ensure(last === work.number - 1, 'the database does not have the previous exchange of this node');
    // Before the accounts are locked, because other nodes wait for these locks.
    for (const part of work.parts) await part.write(transaction);
    const results = await exchangeCredit(transaction, work);
    await writeNumber(transaction, work.session, work.number);
    onComputed(results);
    return results;
  });
}

async function exchangeCredit(
  transaction: Transaction,
  { session, requests, usage, nodes }: Exchanged,
): Promise<Map<string, ExchangeResult>> {
  const results = new Map<string, ExchangeResult>();
  if (requests.size === 0) return results;
  const { now, months, accounts } = await lockAccounts(transaction, [...requests.keys()], session);
  const changes: AccountChange[] = [];
  for (const account of accounts) {
    const request = requests.get(account.workspace) as Request;
    ensure(account.lease === request.exchange.lease, 'the database has another lease than this node');
    const after = afterReturn(account, request);
    const grant = decide(after, {
      ...request,
      isWhole: request.exchange.isWhole,
      othersHold: account.othersHold,
      nodes,
    });
    changes.push(changeOf(account, after, months.current, request, grant));
    const known = { charged: after.charged, months, budgetCharged: after.budgetCharged };
    results.set(account.workspace, {
      grant,
      account: known,
      becameExact: grant.accountExact && !account.exact,
    });
  }
  await writeAccounts(transaction, session, changes);
  await writeUsage(transaction, dayOf(now), usage);
  return results;
}

/** The account after the charges and the unused credit of the request. */
function afterReturn(account: LockedAccount, { exchange: { charged, returned } }: Request): AccountState {
  return {
    ...account,
    charged: account.charged + charged,
    budgetCharged: account.budgetCharged + charged,
    leased: account.leased - charged - returned,
  };
}

function changeOf(
  { workspace, monthCharged, lease }: LockedAccount,
  { charged, leased }: AccountState,
  month: string,
  { exchange }: Request,
  grant: Grant,
): AccountChange {
  return {
    workspace,
    charged,
    month,
    monthCharged: monthCharged + exchange.charged,
    leased: leased + grant.granted,
    exact: grant.accountExact,
    lease: lease - exchange.charged - exchange.returned + grant.granted,
    leaseExact: grant.leaseExact,
  };
}
