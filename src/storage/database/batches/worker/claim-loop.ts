import type { Clock } from '../../../../base/index.js';
import type { Claim } from '../tables/claims.js';
import type { ClaimedBatches } from './claimed-batches.js';

/** The interval, in milliseconds, at which a node looks for chunks. */
const CLAIM_POLL_MS = 500;
/** A node claims further chunks while fewer lines than this wait to start, or than start in AHEAD_SECONDS. */
const AHEAD_LINES_MIN = 64;
const AHEAD_SECONDS = 2;
/** A node claims a chunk of one more key at each poll, up to this many keys, so that no key waits for another's chunk. */
const KEYS_MAX = 16;
/** After a node gave back a chunk that did not run, it claims none of the same key for this many milliseconds. */
const RESTING_MS = 10_000;

interface Parts {
  readonly claims: ClaimedBatches;
  readonly clock: Clock;
  /** Whether lines can be run and charged now. */
  mayClaim(): boolean;
  /** Claims a chunk in the order of the keys' turns, except of the keys `skip`. Null if there is none. */
  claim(skip: readonly string[]): Promise<Claim | null>;
  /** Runs a claimed chunk. */
  run(claim: Claim): Promise<void>;
  onError(error: unknown): void;
}

/**
 * Claims chunks of open batches: few at a time, so that other nodes find work too, and enough to keep the engine busy.
 */
export class ClaimLoop {
  /** Keys of which no chunk is claimed, and until when, in monotonic milliseconds. */
  private readonly resting = new Map<string, number>();
  /** How many rounds of claims have begun. */
  rounds = 0;
  private round: Promise<void> | null = null;
  private again = false;
  private stopped = false;
  private cancelNext = () => {};

  constructor(private readonly parts: Parts) {}

  /** Looks for chunks now, and then at intervals. */
  poll(): void {
    this.wake(true);
    this.cancelNext();
    if (!this.stopped) this.cancelNext = this.parts.clock.after(CLAIM_POLL_MS, () => this.poll());
  }

  /** Looks for chunks if too few lines wait to start. `more`: also for a chunk of one more key. */
  wake(more = false): void {
    if (this.stopped || (!more && !this.wantsLines)) return;
    if (this.round !== null) {
      this.again ||= more;
      return;
    }
    this.rounds += 1;
    this.round = this.claimAll(more).catch((error) => this.parts.onError(error));
    void this.round.then(() => {
      this.round = null;
      const { again } = this;
      this.again = false;
      if (again) this.wake(true);
    });
  }

  /** Whether a claim may be in progress. */
  get isClaiming(): boolean {
    return this.round !== null;
  }

  /** Claims no chunk of a key for RESTING_MS. */
  rest(key: string): void {
    this.resting.set(key, this.parts.clock.monotonic() + RESTING_MS);
  }

  /** Chunks of all keys may be claimed again. */
  endRests(): void {
    this.resting.clear();
  }

  /** Resolves when no claim is in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelNext();
    await this.round;
  }

  private get wantsLines(): boolean {
    const { claims } = this.parts;
    return claims.waiting < Math.max(AHEAD_LINES_MIN, AHEAD_SECONDS * claims.startsPerSecond);
  }

  private async claimAll(more: boolean): Promise<void> {
    const { claims } = this.parts;
    while (this.wantsLines) if (!(await this.claimOne(this.skipped))) break;
    const { keys, fundedCount } = claims;
    if (more && keys.length > 0 && fundedCount < KEYS_MAX) await this.claimOne([...this.skipped, ...keys]);
  }

  private async claimOne(skip: readonly string[]): Promise<boolean> {
    if (this.stopped || !this.parts.mayClaim()) return false;
    const claim = await this.parts.claim(skip);
    if (claim === null) return false;
    await this.parts.run(claim);
    return true;
  }

  private get skipped(): string[] {
    const now = this.parts.clock.monotonic();
    for (const [key, until] of this.resting) if (until <= now) this.resting.delete(key);
    return [...this.resting.keys(), ...this.parts.claims.unfundedKeys];
  }
}
