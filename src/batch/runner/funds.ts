import type { Access, Caller, Charge, Reservation } from '../../access/index.js';
import type { BatchReports } from '../batch-dependencies.js';
import type { BatchLine } from '../sealed-values.js';
import type { OpenBatch } from './open-batch.js';

/**
 * A line that a key could not pay for. It may wait for a day: nothing here keeps the line's body or the models that prepared
 * it in memory.
 */
export interface AwaitedLine extends Pick<BatchLine, 'model' | 'task'> {
  readonly open: OpenBatch;
  /** What the line costs at the prices of now. A reload can change them: then call `forget`. */
  readonly charge: Charge;
}

/**
 * Reserves the cost of lines before they reach the engine, as for live requests, so that both together never spend more
 * than credit and budget cover.
 *
 * A line that is not covered does not fail. It waits, with all later lines of its key, until its cost can be reserved:
 * credit is added, the budget is raised, a month begins, or a reservation is released. Smaller lines do not overtake it,
 * because a large line might then wait forever. Other keys of the workspace go on.
 */
export class Funds {
  /** By key: the line that the key cannot pay for. */
  private readonly awaited = new Map<string, AwaitedLine>();

  constructor(
    private readonly access: Pick<Access, 'pause' | 'reserveLine' | 'covers'>,
    private readonly reports: BatchReports,
    /** Whether the line would start if its cost were covered. If not, no line of its key waits for it. */
    private readonly mayStart: (line: AwaitedLine) => boolean,
  ) {}

  /**
   * Whether a key can pay for its next line, as far as that line's cost is known. A damaged account or counter is
   * reported; its workspace waits and others go on.
   */
  covers(caller: Caller): boolean {
    try {
      return this.isCovered(caller);
    } catch (error) {
      this.reports.error(error, '-');
      return false;
    }
  }

  private isCovered(caller: Caller): boolean {
    if (this.access.pause(caller.workspace) !== null) return false;
    const line = this.awaited.get(caller.key.id);
    if (line === undefined) return true;
    if (this.mayStart(line) && !this.access.covers(caller, line.charge)) return false;
    this.awaited.delete(caller.key.id);
    return true;
  }

  /** Reserves the cost of a line. Null: the line must wait. */
  reserve(caller: Caller, line: AwaitedLine): Reservation | null {
    const { id } = caller.key;
    // This line was being prepared when another line of the key turned out not to be covered.
    if (this.awaited.has(id)) return null;
    const reservation = this.access.reserveLine(caller, line.charge);
    if (reservation === null) this.awaited.set(id, line);
    return reservation;
  }

  /**
   * Up to `most` of the awaited lines that name a task. Each call returns the lines after those of the call before, and
   * then the first ones again.
   */
  nextOfTasks(most: number): AwaitedLine[] {
    const found = [...this.awaited].filter(([, { task }]) => task !== null).slice(0, most);
    for (const [key, line] of found) {
      this.awaited.delete(key);
      this.awaited.set(key, line);
    }
    return found.map(([, line]) => line);
  }

  /** Call it when no line of a batch starts here any more. If the key waits for one of them, it no longer does. */
  ended(open: OpenBatch): void {
    const { key } = open.batch;
    if (this.awaited.get(key)?.open === open) this.awaited.delete(key);
  }

  /** The line that the key could not pay for may be gone: the next line tries to reserve its own cost. */
  forget(key: string): void {
    this.awaited.delete(key);
  }
}
