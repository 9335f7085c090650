import type { Clock } from '../../../../base/index.js';
import { mayStart, type Runner } from '../../../../batch/index.js';
import type { Database } from '../../postgres/database.js';
import { findBatches } from '../tables/batch-table.js';
import { claimedChunks } from '../tables/claims.js';
import type { ClaimLoop } from './claim-loop.js';
import type { ClaimedBatches } from './claimed-batches.js';
import type { DatabaseProgress } from './progress.js';
import type { DatabaseWorkBuffer } from './work-buffer.js';

/** The interval, in milliseconds, at which the claims are compared with the database. */
const WATCH_MS = 1_000;
/** A claim of which no line has started for this many milliseconds is given back: another node may be able to run it. */
const IDLE_MS_MAX = 15_000;
/** A claim whose next line is not covered by credit is given back after this many milliseconds. */
const UNFUNDED_MS_MAX = 2_000;
/** A claim of a batch that waits for a lane to work is given back after this many milliseconds. */
const LANELESS_MS_MAX = 2_000;

interface Parts {
  /** The session. */
  readonly node: number;
  readonly database: Database;
  readonly clock: Clock;
  readonly claims: ClaimedBatches;
  readonly work: DatabaseWorkBuffer;
  readonly progress: DatabaseProgress;
  readonly runner: Runner;
  readonly loop: ClaimLoop;
  /** Called with a batch that this node cannot read. */
  onDamaged(batch: string): void;
  onError(error: unknown): void;
}

/**
 * Compares the claims of a session with the database: stops batches that other nodes stopped, and gives idle claims back.
 */
export class ClaimWatch {
  private stopped = false;
  private cancelNext = () => {};

  constructor(private readonly parts: Parts) {}

  start(): void {
    if (this.stopped) return;
    this.cancelNext = this.parts.clock.after(WATCH_MS, () => {
      this.parts.claims.second();
      void this.look()
        .catch((error) => this.parts.onError(error))
        .then(() => this.start());
    });
  }

  stop(): void {
    this.stopped = true;
    this.cancelNext();
  }

  private async look(): Promise<void> {
    await this.readStates();
    if (!this.stopped) await this.giveBackUnknown();
    if (this.stopped) return;
    const { claims, loop, progress, runner, onDamaged } = this.parts;
    for (const open of claims.idleFor(0)) {
      if (!open.isDamaged) continue;
      onDamaged(open.batch.id);
      progress.release(open);
    }
    // All are found first: once the batch of the line is given back, the key waits for nothing here.
    const unfunded = claims.idleFor(UNFUNDED_MS_MAX).filter((open) => runner.awaitsCredit(open));
    for (const open of unfunded) {
      claims.noteUnfunded(open);
      loop.rest(open.batch.key);
      progress.release(open);
    }
    // The key does not rest: its batches of other models may be claimed. This one is not, until a lane works.
    for (const open of claims.idleFor(LANELESS_MS_MAX)) if (runner.awaitsLane(open)) progress.release(open);
    for (const open of claims.idleFor(IDLE_MS_MAX)) {
      loop.rest(open.batch.key);
      progress.release(open);
    }
  }

  private async readStates(): Promise<void> {
    const { claims, database, progress, runner } = this.parts;
    const { ids } = claims;
    if (ids.length === 0) return;
    const stored = new Map((await findBatches(database, ids)).map((batch) => [batch.id, batch]));
    if (this.stopped) return;
    for (const id of ids) {
      const [batch, open] = [stored.get(id), claims.find(id)];
      if (open === undefined) continue;
      if (batch === undefined) {
        runner.drop(open);
        claims.remove(open);
      } else if (!mayStart(batch)) progress.changed(open, batch.state);
    }
  }

  /** Gives back chunks that were claimed in a transaction whose outcome was unknown: this node does not run them. */
  private async giveBackUnknown(): Promise<void> {
    const { node, database, claims, work, loop } = this.parts;
    const { rounds } = loop;
    if (loop.isClaiming) return;
    const claimed = await claimedChunks(database, node);
    if (loop.rounds !== rounds) return;
    for (const { batch, chunk } of claimed) {
      const runs = claims.find(batch)?.claimed?.has(chunk) === true;
      if (!runs && !work.isEnding({ batch, chunk })) work.end({ batch, chunk, settled: false });
    }
  }
}
