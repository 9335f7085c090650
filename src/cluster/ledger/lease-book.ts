import type { Amount } from '../../access/index.js';

/** What an exchange with the database takes from a book. It ends with `settle` or `abandon`. */
export interface Exchange {
  /** Charges that the exchange writes. */
  readonly charged: Amount;
  /** Unused credit that the exchange returns. */
  readonly returned: Amount;
  /** Whether `returned` is all unused credit, so that the node keeps none. */
  readonly isWhole: boolean;
}

/** What an exchange that was written has changed. */
export interface Settlement {
  /** Credit that was added to the lease. */
  readonly granted: Amount;
  /** The part of `granted` that is reserved at once, for requests that waited. */
  readonly reserved: Amount;
  /** Whether the lease is exact now: it covers reservations and charges, and nothing else. */
  readonly isExact: boolean;
}

/**
 * The lease of one node on the credit of one workspace. The node reserves and charges against it without a query. The row
 * in `credit_leases` has the same amount whenever no exchange is in progress:
 *
 *     lease = free + set aside + reserved + unwritten
 *
 * Pure arithmetic, without time, network or waiting.
 */
export class LeaseBook {
  private lease: Amount = 0n;
  private held: Amount = 0n;
  private unwrittenCharges: Amount = 0n;
  private setAside: Amount = 0n;
  private exact = false;
  private isExchanging = false;

  /** Credit that can be reserved. Never negative. */
  get free(): Amount {
    return this.lease - this.setAside - this.held - this.unwrittenCharges;
  }

  /** What the database has granted, minus the charges that were written. */
  get amount(): Amount {
    return this.lease;
  }

  get reserved(): Amount {
    return this.held;
  }

  /** Charges that are not written yet. */
  get unwritten(): Amount {
    return this.unwrittenCharges;
  }

  /** Whether the lease may have no unused credit: what becomes free is returned with the next exchange. */
  get isExact(): boolean {
    return this.exact;
  }

  /** Whether the book holds nothing at all. */
  get isEmpty(): boolean {
    return this.lease === 0n && this.held === 0n && this.unwrittenCharges === 0n && !this.isExchanging;
  }

  /** Reserves an amount; false if the free credit does not cover it. */
  reserve(amount: Amount): boolean {
    if (amount > this.free) return false;
    this.held += amount;
    return true;
  }

  /** Returns a reservation. */
  release(amount: Amount): void {
    this.held -= amount;
  }

  /** Charges a reservation. */
  post(amount: Amount): void {
    this.held -= amount;
    this.unwrittenCharges += amount;
  }

  /** Begins an exchange, one at a time. `whole`: all free credit is returned. */
  begin(whole: boolean): Exchange {
    if (this.isExchanging) throw new Error('an exchange of this lease is in progress');
    this.isExchanging = true;
    const returned = whole ? this.free : 0n;
    this.setAside = returned;
    return { charged: this.unwrittenCharges, returned, isWhole: whole };
  }

  /** The exchange was written. */
  settle({ charged, returned }: Exchange, { granted, reserved, isExact }: Settlement): void {
    this.end();
    this.unwrittenCharges -= charged;
    this.lease += granted - charged - returned;
    this.held += reserved;
    this.exact = isExact;
  }

  /** The exchange was not written. */
  abandon(): void {
    this.end();
  }

  private end(): void {
    this.isExchanging = false;
    this.setAside = 0n;
  }
}
