import type { Store } from '../store/index.js';
import { monthOf } from './calendar.js';
import type { Amount } from './money.js';
import { chargedIn } from './usage.js';
import type { Workspace } from './workspaces.js';

/** The charges and balance of a workspace, as stored. */
interface Balance {
  readonly charged: Amount;
  /** Credit granted minus charges. Negative if more credit was taken back than was left. */
  readonly balance: Amount;
  /** Charged in the UTC month of `now`. */
  readonly monthCharged: Amount;
}

/** The stored balance of a workspace. It does not include charges that a running server has not written yet. */
export function balanceOf(store: Store, { id, granted }: Workspace, now: number): Balance {
  const account = store.table('accounts').get(id);
  const charged = BigInt(account?.charged ?? 0);
  return { charged, balance: granted - charged, monthCharged: chargedIn(store, id, monthOf(now)) };
}
