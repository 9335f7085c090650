import { type Amount, coverOf, lacking, type Pause } from '../../../access/index.js';

/** A lease that is not exact gets at most this fraction of the available credit, divided by the number of nodes. */
const SHARE_DIVISOR = 4n;
/** Leases stop being exact when the share of a node is this many times what it needs. */
const EXACT_ENDS_AT = 4n;

/** The money of a workspace in the database, locked, after the exchange's charges and returns. */
export interface AccountState {
  readonly granted: Amount;
  /** The most that may be charged in a month; null: no limit. */
  readonly budget: Amount | null;
  readonly charged: Amount;
  /** What counts against the budget. */
  readonly budgetCharged: Amount;
  /** The sum of all leases. */
  readonly leased: Amount;
  /** Whether leases must be exact, because the workspace is near its limit. */
  readonly exact: boolean;
}

/** The lease of a node, and the credit that it requests. */
interface LeaseRequest {
  /** The costs of requests that wait, in their order. */
  readonly needs: readonly Amount[];
  /** Unused credit that the node requests beyond `needs`. */
  readonly wanted: Amount;
  /** Whether the node has returned all its unused credit. */
  readonly isWhole: boolean;
  /** Whether its lease is exact already. */
  readonly isExact: boolean;
  /** Whether another node has a lease that is not exact, and so may return credit. */
  readonly othersHold: boolean;
  /** The nodes of the cluster, at least 1. */
  readonly nodes: number;
}

/** `wait`: the need is not covered now, but other nodes may return enough. */
export type Answer = 'granted' | 'wait' | Pause;

export interface Grant {
  /** One for each need. */
  readonly answers: readonly Answer[];
  /** What is added to the lease, the granted needs included. */
  readonly granted: Amount;
  /** The sum of the granted needs. */
  readonly reserved: Amount;
  /** Whether the leases of the workspace must be exact from now on. */
  readonly accountExact: boolean;
  /** Whether the lease of this node is exact from now on. */
  readonly leaseExact: boolean;
}

/** What can still be leased. Negative if credit was taken back, or the budget lowered, below what is leased. */
export const availableOf = (account: AccountState): Amount => coverOf(account, account) - account.leased;

/**
 * Decides what a node gets. Far from the limit of the workspace, a node gets its needs and unused credit beyond them. Near
 * the limit, leases are exact: nodes keep no unused credit and get exactly their needs. A need is refused only if no other
 * node can have unused credit.
 */
export function decide(account: AccountState, request: LeaseRequest): Grant {
  const available = availableOf(account);
  const total = request.needs.reduce((sum, need) => sum + need, 0n);
  const share = available / (SHARE_DIVISOR * BigInt(request.nodes));
  const accountExact = isExact(account.exact, available, share, total);
  return accountExact ? grantExactly(account, request) : grantFreely(request, total, share);
}

function isExact(before: boolean, available: Amount, share: Amount, total: Amount): boolean {
  if (available < 0n) return true;
  if (!before) return total > share;
  return total === 0n || share < EXACT_ENDS_AT * total;
}

function grantFreely({ needs, wanted, isExact }: LeaseRequest, total: Amount, share: Amount): Grant {
  const room = share - total;
  const granted = total + (wanted < room ? wanted : room);
  return {
    answers: needs.map(() => 'granted'),
    granted,
    reserved: total,
    accountExact: false,
    leaseExact: isExact && granted === 0n,
  };
}

function grantExactly(account: AccountState, { needs, isWhole, isExact, othersHold }: LeaseRequest): Grant {
  let reserved = 0n;
  const answers = needs.map((need): Answer => {
    const pause = lacks(account, reserved + need);
    if (pause !== null)
      return othersHold && lacks({ ...account, leased: 0n }, need) === null ? 'wait' : pause;
    reserved += need;
    return 'granted';
  });
  return { answers, granted: reserved, reserved, accountExact: true, leaseExact: isExact || isWhole };
}

/** Why an amount cannot be leased; null if it can. */
const lacks = (account: AccountState, amount: Amount): Pause | null =>
  lacking(account, account, account.leased + amount);
