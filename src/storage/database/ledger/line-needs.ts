import type { Amount } from '../../../access/index.js';

/** The most different costs of lines that are requested at a time. Others are requested when their lines try again. */
export const LINE_NEEDS_MAX = 64;
/** Credit that was granted for lines is held for them for this many milliseconds. */
export const LINES_HELD_MS = 1_000;

const NONE: readonly Amount[] = Object.freeze([]);

/**
 * The costs of batch lines that were not covered, and the credit that was granted for them. Lines do not wait as requests
 * do: they try again when the listener of `onFunds` is called. Until then the credit is held, because an exact lease would
 * return it.
 */
export class LineNeeds {
  /** Frozen, and replaced by every change: an exchange keeps it while other lines ask for credit. */
  private costs: readonly Amount[] = NONE;
  private amountHeld: Amount = 0n;
  private heldSince = 0;

  get all(): readonly Amount[] {
    return this.costs;
  }

  /** Credit that is reserved for lines. */
  get held(): Amount {
    return this.amountHeld;
  }

  /** Requests a cost with the next exchange. False if it is requested already, or LINE_NEEDS_MAX costs are. */
  add(cost: Amount): boolean {
    if (this.costs.includes(cost) || this.costs.length === LINE_NEEDS_MAX) return false;
    this.costs = Object.freeze([...this.costs, cost]);
    return true;
  }

  /** Removes costs that an exchange has granted or refused. */
  answered(costs: readonly Amount[]): void {
    this.costs = Object.freeze(this.costs.filter((cost) => !costs.includes(cost)));
  }

  hold(amount: Amount, now: number): void {
    this.amountHeld += amount;
    this.heldSince = now;
  }

  /** Stops holding, and returns what was held. */
  take(): Amount {
    const held = this.amountHeld;
    this.amountHeld = 0n;
    return held;
  }

  /** Whether credit has been held for so long that the lines will not take it. */
  isOverdue(now: number): boolean {
    return this.amountHeld > 0n && now - this.heldSince >= LINES_HELD_MS;
  }
}
