import { type Amount, type Caller, type Charge, costOf, type Reservation } from '../../../access/index.js';
import type { Holdings } from './holdings.js';

/** What a reservation needs of the ledger when it is posted or released. */
export interface Settling {
  /** Throws ApiError `overloaded` if nothing may be charged to holdings now. */
  checkChargeable(holdings: Holdings): void;
  /**
   * Changes holdings. If they do not add up (SessionDefect), it ends their session and returns null. Throws what else
   * `change` throws.
   */
  sound<Result>(holdings: Holdings, change: () => Result): Result | null;
  /** Credit was returned, or a charge was made. */
  settled(holdings: Holdings, workspace: string): void;
}

/** What is to be charged, and to whom. Frozen: its amount is reserved now, and its counters are changed later. */
export interface Cost {
  readonly workspace: string;
  readonly key: string;
  readonly charge: Charge;
  readonly amount: Amount;
}

export function costTo({ key, workspace }: Caller, charge: Charge): Cost {
  const own = Object.freeze({ ...charge });
  return Object.freeze({ workspace: workspace.id, key: key.id, charge: own, amount: costOf(own) });
}

/** The reservation of a cost that is reserved in holdings. `post` throws ApiError `overloaded`. */
export function reservationOf(holdings: Holdings, cost: Cost, settling: Settling): Reservation {
  const { workspace, key, charge, amount } = cost;
  let open = true;
  const settle = () => {
    if (!open) throw new Error('a reservation was settled twice');
    open = false;
    return holdings.credit(workspace).book;
  };
  const release = () => {
    const book = settle();
    settling.sound(holdings, () => book.release(amount));
    settling.settled(holdings, workspace);
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
      const book = settle();
      settling.sound(holdings, () => {
        book.post(amount);
        holdings.count(workspace, key, charge, amount);
      });
      // The session may have ended with the charge.
      settling.checkChargeable(holdings);
      settling.settled(holdings, workspace);
    },
  };
}
