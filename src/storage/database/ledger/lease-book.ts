import type { Amount } from '../../../access/index.js';
import { ensure } from '../session/defect.js';

/** What an exchange with the database takes from a book. It ends with `settle` or `abandon`. Frozen. */
export interface Exchange {
  /** The lease when the exchange began: what the database must have. */
  readonly lease: Amount;
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
 * Each part is counted by itself, and no part is ever negative. Both are verified after every change, and before what
 * would break them: the methods throw SessionDefect. Pure arithmetic, without time, network or waiting.
 */
export class LeaseBook {
  private lease: Amount = 0n;
  private unused: Amount = 0n;
  private setAside: Amount = 0n;
  private held: Amount = 0n;
  private unwrittenCharges: Amount = 0n;
  private exact = false;
  private exchange: Exchange | null = null;

  /** Credit that can be reserved. */
  get free(): Amount {
    return this.unused;
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
    return this.lease === 0n && this.exchange === null;
  }

  /** Reserves an amount; false if the free credit does not cover it. */
  reserve(amount: Amount): boolean {
    if (amount > this.unused) return false;
    this.unused -= amount;
    this.held += amount;
    this.verify();
    return true;
  }

  /** Returns a reservation. */
  release(amount: Amount): void {
    this.held -= amount;
    this.unused += amount;
    this.verify();
  }

  /** Charges a reservation. */
  post(amount: Amount): void {
    this.held -= amount;
    this.unwrittenCharges += amount;
    this.verify();
  }

  /** Begins an exchange, one at a time. `whole`: all free credit is returned. */
  begin(whole: boolean): Exchange {
    ensure(this.exchange === null, 'an exchange of a lease began while another one was in progress');
    const { lease, unwrittenCharges: charged } = this;
    const returned = whole ? this.unused : 0n;
    this.setAside = returned;
    this.unused -= returned;
    this.exchange = Object.freeze({ lease, charged, returned, isWhole: whole });
    this.verify();
    return this.exchange;
  }

  /** The exchange was written. */
  settle(exchange: Exchange, { granted, reserved, isExact }: Settlement): void {
    ensure(this.exchange === exchange, 'an exchange of a lease ended that was not in progress');
    const { charged, returned } = this.end();
    ensure(reserved >= 0n && reserved <= granted, 'an exchange reserved more credit than it leased');
    this.setAside -= returned;
    this.unwrittenCharges -= charged;
    this.unused += granted - reserved;
    this.held += reserved;
    this.lease += granted - charged - returned;
    this.exact = isExact;
    this.verify();
  }

  /** The exchange was not written. */
  abandon(): void {
    const { returned } = this.end();
    this.setAside -= returned;
    this.unused += returned;
    this.verify();
  }

  private end(): Exchange {
    const { exchange } = this;
    ensure(exchange !== null, 'an exchange of a lease ended, and none was in progress');
    this.exchange = null;
    return exchange;
  }

  private verify(): void {
    const { lease, unused, setAside, held, unwrittenCharges } = this;
    const areParts = unused >= 0n && setAside >= 0n && held >= 0n && unwrittenCharges >= 0n;
    ensure(areParts, 'a part of a lease is negative');
    ensure(lease === unused + setAside + held + unwrittenCharges, 'the parts of a lease are not its sum');
  }
}
