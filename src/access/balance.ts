import type { Store } from '../store/index.js';
import { monthOf } from './calendar.js';
import type { Amount } from './money.js';
import { chargedIn } from './usage.js';
import type { Workspace } from './workspaces.js';

/** What a workspace was charged and has left, as it is on the disk. */
export interface Balance {
  readonly charged: Amount;
  /** Credit granted less what was charged; below zero where more was taken back than was left. */
  readonly balance: Amount;
  /** Charged in the UTC month of the instant asked about. */
  readonly monthCharged: Amount;
}

/** The balance of a workspace at an instant. Beside a running server it lags by what that has not written yet. */
export function balanceOf(store: Store, { id, granted }: Workspace, now: number): Balance {
  const account = store.table('accounts').get(id);
  const charged = BigInt(account?.charged ?? 0);
  return { charged, balance: granted - charged, monthCharged: chargedIn(store, id, monthOf(now)) };
}
