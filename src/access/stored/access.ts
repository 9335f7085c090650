import type { Clock } from '../../base/index.js';
import type { Store } from '../../store/index.js';
import { Access } from '../access.js';
import type { Caller } from '../authenticate.js';
import type { Reservation } from '../ledger.js';
import type { Charge } from '../money.js';
import { RateLimiter } from '../rate-limit.js';
import type { FlushPart } from './counters.js';
import { StoredDirectory } from './directory.js';
import { StoredLedger } from './ledger.js';

/** Access by the keys and the ledger of a data folder that this process alone serves. */
export class StoredAccess extends Access {
  private readonly stored: StoredLedger;

  /** `onError` is called with the error when charges cannot be written. */
  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    const directory = new StoredDirectory(store);
    const ledger = new StoredLedger(store, directory, clock, onError);
    super({ directory, ledger, limiter: new RateLimiter(clock), clock });
    this.stored = ledger;
  }

  /** Throws ApiError `out_of_credit` or `budget_exceeded`. */
  override reserve(caller: Caller, charge: Charge): Reservation {
    return this.stored.reserve(caller, charge);
  }

  /** Adds writes to the transactions of the ledger. Call `changed` when there is something to write. */
  join(part: FlushPart): void {
    this.stored.join(part);
  }

  changed(): void {
    this.stored.changed();
  }
}
