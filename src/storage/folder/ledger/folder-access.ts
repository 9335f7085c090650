import {
  Access,
  type Caller,
  type Charge,
  type KeyUses,
  RateLimiter,
  type Reservation,
} from '../../../access/index.js';
import type { Clock } from '../../../base/index.js';
import { FolderDirectory } from '../directory/directory.js';
import type { Store } from '../lmdb/store.js';
import { FolderLedger } from './ledger.js';
import type { LedgerPart } from './part.js';

/** Access by the keys and the ledger of a data folder that this process alone serves. */
export class FolderAccess extends Access {
  private readonly folderLedger: FolderLedger;

  /** `onError` is called with the error when charges cannot be written. `uses`: records the keys of requests. */
  constructor(store: Store, clock: Clock, onError: (error: unknown) => void, uses?: KeyUses) {
    const directory = new FolderDirectory(store);
    const ledger = new FolderLedger(store, directory, clock, onError);
    super({ directory, ledger, limiter: new RateLimiter(clock), clock, uses });
    this.folderLedger = ledger;
  }

  /** Throws ApiError `out_of_credit`, `budget_exceeded`, `overloaded`. */
  override reserve(caller: Caller, charge: Charge): Reservation {
    return this.folderLedger.reserve(caller, charge);
  }

  /** Whether requests can be charged. */
  get canServe(): boolean {
    return this.folderLedger.canServe;
  }

  /** Adds writes to the transactions of the ledger. Call `changed` when there is something to write. */
  join(part: LedgerPart): void {
    this.folderLedger.join(part);
  }

  changed(): void {
    this.folderLedger.changed();
  }
}
