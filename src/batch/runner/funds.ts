import type { Access, Caller, Charge, Reservation } from '../../access/index.js';

/**
 * The money of lines. A line reserves what it costs before it reaches the engine, as a live request does; so lines in
 * progress and live requests together never spend more than credit and budget cover.
 *
 * A line that is not covered does not fail: it waits, and all lines of its key behind it, until as much as it costs can
 * be reserved: because credit is added, the budget is raised, a month begins, or a reservation is given back. A smaller
 * line does not overtake it, or a large one might wait for ever. Other keys of the workspace are not held up.
 */
export class Funds {
  /** By key: what the line costs that all its lines wait for. */
  private readonly awaited = new Map<string, Charge>();

  /** `onError`: called with what a damaged account or counter throws; its workspace waits, and others go on. */
  constructor(
    private readonly access: Pick<Access, 'pause' | 'reserveLine' | 'covers'>,
    private readonly onError: (error: unknown, batch: string) => void,
  ) {}

  /** Whether a line of a key may start, for all that is known of what it costs. */
  mayStart(caller: Caller): boolean {
    try {
      return this.isCovered(caller);
    } catch (error) {
      this.onError(error, '-');
      return false;
    }
  }

  private isCovered(caller: Caller): boolean {
    if (this.access.pause(caller.workspace) !== null) return false;
    const charge = this.awaited.get(caller.key.id);
    if (charge === undefined) return true;
    if (!this.access.covers(caller, charge)) return false;
    this.awaited.delete(caller.key.id);
    return true;
  }

  /** Reserves what a line costs; null where it is to wait. */
  reserve(caller: Caller, charge: Charge): Reservation | null {
    const { id } = caller.key;
    // A line that was being prepared when another one of its key was not covered.
    if (this.awaited.has(id)) return null;
    const reservation = this.access.reserveLine(caller, charge);
    if (reservation === null) this.awaited.set(id, charge);
    return reservation;
  }

  /** The line that a key waits for may be gone: the next one finds out for itself. */
  forget(key: string): void {
    this.awaited.delete(key);
  }
}
