import type { Clock } from '../../../base/index.js';
import {
  type Batch,
  type BatchKey,
  type BatchReports,
  type ChunkSource,
  type LineEngines,
  mayStart,
  OpenBatch,
  Runner,
} from '../../../batch/index.js';
import { type Database, DatabaseUnavailable } from '../../../postgres/index.js';
import type { LedgerPart, TakenChanges } from '../../ledger/index.js';
import { SessionLost } from '../../session/index.js';
import type { DataKeys } from '../data-keys.js';
import { fenced, type NodeSession } from '../fenced.js';
import type { LineAccess } from '../line-access.js';
import { findBatches } from '../tables/batches.js';
import { type Claim, claimCandidates, claimChunk } from '../tables/claims.js';
import { dataKey } from '../tables/values.js';
import { ClaimLoop, IDLE_MS_MAX } from './claim-loop.js';
import { ClaimedBatches } from './claimed-batches.js';
import { ClaimedProgress } from './claimed-progress.js';
import { WorkBuffer } from './work-buffer.js';

/** How often, in milliseconds, the states of the claimed batches are read. */
const WATCH_MS = 1_000;

export interface WorkerParts {
  readonly database: Database;
  readonly session: Pick<NodeSession, 'lost'>;
  readonly keys: DataKeys;
  readonly access: LineAccess;
  readonly ledger: { changed(): void; flush(): Promise<void> };
  readonly clock: Clock;
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly reader: ChunkSource;
  readonly reports: BatchReports;
  /** Chunks of these batches have been given back: they may have finished. */
  onEnded(batches: readonly string[]): void;
}

/** Runs lines of open batches in one session of this node: claims chunks, runs their lines, gives the chunks back. */
export class Worker implements LedgerPart {
  private readonly claims: ClaimedBatches;
  private readonly work: WorkBuffer;
  private readonly loop: ClaimLoop;
  private readonly runner: Runner;
  private progress!: ClaimedProgress;
  private stopped = false;
  private cancelWatch = () => {};

  /** `node`: the id of the session. */
  constructor(
    private readonly node: number,
    private readonly parts: WorkerParts,
  ) {
    const { access, clock, random, engines, reader, reports, ledger } = parts;
    const claims = new ClaimedBatches(clock);
    const work = new WorkBuffer({ node, ledger, onEnded: (ids) => parts.onEnded(ids) });
    this.claims = claims;
    this.work = work;
    this.loop = new ClaimLoop({
      claims,
      clock,
      mayClaim: () => access.writable,
      claim: (skip) => this.claim(skip),
      run: (claim) => this.run(claim),
      onError: (error) => this.report(error),
    });
    this.runner = new Runner({
      work,
      progress: (ends) => {
        this.progress = new ClaimedProgress(
          { claims, work, access, clock, onRoom: () => this.loop.wake() },
          ends,
        );
        return this.progress;
      },
      access,
      clock,
      random,
      engines,
      reader,
      reports,
    });
  }

  start(): void {
    this.loop.poll();
    this.watchLater();
  }

  /** There may be chunks to claim. */
  wake(): void {
    this.loop.wake(true);
  }

  /** Lines that wait for credit may be able to start, and so may other chunks of their keys. */
  fundsChanged(): void {
    this.loop.endRests();
    this.parts.access.tellFunds();
    this.loop.wake(true);
  }

  /** Call it when other models are loaded. */
  modelsChanged(): void {
    this.loop.endRests();
    this.runner.modelsChanged();
  }

  /** The state of a batch has been changed by this node, outside its lines. */
  changed({ id, state }: Batch): void {
    const open = this.claims.find(id);
    if (open !== undefined) this.progress.changed(open, state);
  }

  take(): TakenChanges | null {
    return this.work.take();
  }

  /** The session has ended: its chunks belong to other nodes. Nothing of it is written any more. */
  drop(): void {
    this.end();
  }

  /** Drops the lines in progress, and gives all chunks back with the next flush of the ledger. */
  async stop(): Promise<void> {
    this.end();
    await this.loop.stop();
    for (const open of this.claims.all) {
      this.runner.drop(open);
      this.progress.release(open);
    }
  }

  private end(): void {
    this.stopped = true;
    this.cancelWatch();
    this.runner.stop();
    void this.loop.stop();
  }

  private async claim(skip: readonly string[]): Promise<Claim | null> {
    const { database, session } = this.parts;
    for (const id of await claimCandidates(database, skip)) {
      const claim = await fenced(database, session, this.node, (transaction) =>
        claimChunk(transaction, id, this.node),
      );
      if (claim !== null) return claim;
    }
    return null;
  }

  private async run(claim: Claim): Promise<void> {
    const { batch, chunk, resolved, aborts } = claim;
    const known = this.claims.find(batch.id);
    const key = known === undefined ? await this.keyOf(batch) : known.key;
    if (this.stopped) {
      this.work.end({ batch: batch.id, chunk: chunk.chunk, settled: false });
      return;
    }
    // Waiting for the key, the batch may have ended here.
    const found = this.claims.find(batch.id);
    const open = found ?? new OpenBatch(batch, key, { chunks: [] });
    for (const line of resolved) open.resolve(line);
    for (const { line, ...abort } of aborts) open.aborts.set(line, abort);
    if (found !== undefined) this.runner.extend(open, [chunk]);
    else {
      open.addChunks([chunk]);
      this.claims.add(open);
      this.runner.add(open);
    }
  }

  /** Null if the data key is damaged or missing: no line of the batch runs. */
  private async keyOf({ id }: Batch): Promise<BatchKey | null> {
    const { database, keys, reports } = this.parts;
    const sealed = await dataKey(database, id);
    try {
      if (sealed === undefined) throw new Error('the batch has no data key');
      return { id, dataKey: keys.open(id, sealed) };
    } catch (error) {
      reports.error(error, id);
      return null;
    }
  }

  private watchLater(): void {
    if (this.stopped) return;
    this.cancelWatch = this.parts.clock.after(WATCH_MS, () => {
      this.claims.second();
      void this.watch()
        .catch((error) => this.report(error))
        .then(() => this.watchLater());
    });
  }

  /** Stops the batches that were stopped elsewhere, and gives back what does not run here. */
  private async watch(): Promise<void> {
    const { ids } = this.claims;
    if (ids.length > 0) {
      const stored = new Map((await findBatches(this.parts.database, ids)).map((batch) => [batch.id, batch]));
      if (this.stopped) return;
      for (const id of ids) {
        const [batch, open] = [stored.get(id), this.claims.find(id)];
        if (open === undefined) continue;
        if (batch === undefined) this.forget(open);
        else if (!mayStart(batch)) this.progress.changed(open, batch.state);
      }
    }
    for (const open of this.claims.idleFor(IDLE_MS_MAX)) {
      this.loop.rest(open.batch.key);
      this.progress.release(open);
    }
  }

  private forget(open: OpenBatch): void {
    this.runner.drop(open);
    this.claims.remove(open);
  }

  /** The session reports its own end, and a database that cannot be reached. */
  private report(error: unknown): void {
    if (this.stopped || error instanceof DatabaseUnavailable || error instanceof SessionLost) return;
    this.parts.reports.error(error, '-');
  }
}
