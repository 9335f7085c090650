import type { Clock } from '../base/index.js';
import type { Store } from '../store/index.js';
import { authenticate, type Caller } from './authenticate.js';
import { Directory } from './directory.js';
import { Ledger, type Reservation } from './ledger.js';
import type { Charge } from './prices.js';
import { RateLimiter } from './rate-limit.js';

/** All that a request meets between its token and its answer: who calls, whether they may, what it costs. */
export class Access {
  private readonly directory: Directory;
  private readonly limiter: RateLimiter;
  private readonly ledger: Ledger;

  constructor(
    store: Store,
    private readonly clock: Clock,
    onTrouble: (error: unknown) => void,
  ) {
    this.directory = new Directory(store);
    this.limiter = new RateLimiter(clock);
    this.ledger = new Ledger(store, this.directory, clock, onTrouble);
  }

  /** Throws ApiError `unauthorized`. `headers`: every `Authorization` there is. */
  authenticate(headers: readonly string[]): Caller {
    return authenticate(headers, this.directory, this.clock.now());
  }

  /** Counts a request that is about to cost money. Throws ApiError `out_of_credit`, `budget_exceeded`, `rate_limited`. */
  admit({ key, workspace }: Caller, bytes: number): void {
    this.ledger.checkPaused(workspace);
    this.limiter.take(key.id, bytes, workspace);
  }

  /** Throws ApiError `out_of_credit` or `budget_exceeded`. */
  reserve(caller: Caller, charge: Charge): Reservation {
    return this.ledger.reserve(caller, charge);
  }

  flush(): Promise<void> {
    return this.ledger.flush();
  }
}
