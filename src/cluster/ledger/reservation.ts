import { type Caller, type Charge, costOf, type Reservation } from '../../access/index.js';
import type { Holdings } from './holdings.js';

/** What a reservation needs of the ledger when it is posted or released. */
export interface Settling {
  /** Throws ApiError `overloaded` if nothing may be charged to holdings now. */
  checkChargeable(holdings: Holdings): void;
  /** Credit was returned, or a charge was made. */
  settled(holdings: Holdings, workspace: string): void;
}

/** The reservation of a charge whose cost is reserved in holdings. */
export function reservationOf(
  holdings: Holdings,
  { key, workspace: { id } }: Caller,
  charge: Charge,
  settling: Settling,
): Reservation {
  const amount = costOf(charge);
  let open = true;
  const settle = () => {
    if (!open) throw new Error('a reservation was settled twice');
    open = false;
    return holdings.credit(id).book;
  };
  const release = () => {
    settle().release(amount);
    settling.settled(holdings, id);
  };
  return {
    release,
    post() {
      try {
        settling.checkChargeable(holdings);
      } catch (error) {
        release();
        throw error;
      }
      settle().post(amount);
      holdings.count(id, key.id, charge, amount);
      settling.settled(holdings, id);
    },
  };
}
