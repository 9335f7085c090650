import type { Clock } from '../../../../base/index.js';
import {
  type Batch,
  type BatchKey,
  type BatchReports,
  type BatchTasks,
  type ChunkSource,
  type LineEngines,
  OpenBatch,
  Runner,
} from '../../../../batch/index.js';
import type { LedgerPart, TakenChanges } from '../../ledger/part.js';
import type { Database } from '../../postgres/database.js';
import { DatabaseUnavailable } from '../../postgres/database-errors.js';
import { isOfSession, SessionLost } from '../../session/fence.js';
import { fenced, type NodeSession } from '../../session/fenced.js';
import type { DataKeys } from '../data-keys.js';
import type { LineAccess } from '../line-access.js';
import { type Claim, claimCandidates, claimChunk } from '../tables/claims.js';
import { dataKey } from '../tables/values.js';
import { ClaimLoop } from './claim-loop.js';
import { ClaimWatch } from './claim-watch.js';
import { ClaimedBatches } from './claimed-batches.js';
import { DatabaseProgress } from './progress.js';
import type { RefusedBatches } from './refused-batches.js';
import { DatabaseWorkBuffer } from './work-buffer.js';

interface WorkerParts {
  readonly database: Database;
  readonly session: Pick<NodeSession, 'lost'>;
  readonly keys: DataKeys;
  readonly access: LineAccess;
  readonly directory: { update(): Promise<void> };
  readonly ledger: { changed(): void; flush(): Promise<void> };
  readonly clock: Clock;
  readonly random: () => number;
  readonly engines: LineEngines;
  readonly tasks: BatchTasks;
  readonly reader: ChunkSource;
  readonly reports: BatchReports;
  readonly refused: RefusedBatches;
  /** Called when chunks of these batches have been given back: the batches may have finished. */
  onEnded(batches: readonly string[]): void;
}

/** Runs lines of open batches in one session of this node: claims chunks, runs their lines, gives the chunks back. */
export class BatchWorker implements LedgerPart {
  private readonly claims: ClaimedBatches;
  private readonly work: DatabaseWorkBuffer;
  private readonly loop: ClaimLoop;
  private readonly watch: ClaimWatch;
  private readonly runner: Runner;
  private progress!: DatabaseProgress;
  /** Models and builds that this node does not have, or of which no lane works. Their batches are left to other nodes. */
  private readonly unusable = new Set<string>();
  /** Batches that cannot be read here. They wait until their windows end; see `OpenBatch.isDamaged`. */
  private readonly damaged = new Set<string>();
  private stopped = false;

  /** `node`: the id of the session. */
  constructor(
    private readonly node: number,
    private readonly parts: WorkerParts,
  ) {
    const { database, access, clock, random, engines, tasks, reader, reports, ledger } = parts;
    const onError = (error: unknown) => this.report(error);
    const claims = new ClaimedBatches(clock);
    const work = new DatabaseWorkBuffer({
      node,
      ledger,
      onRefused: (ids) => parts.refused.note(ids),
      onEnded: (ids) => parts.onEnded(ids),
      tasks,
    });
    this.claims = claims;
    this.work = work;
    this.loop = new ClaimLoop({
      claims,
      clock,
      mayClaim: () => access.writable,
      claim: (skipped) => this.claim(skipped),
      run: (claim) => this.run(claim),
      onError,
    });
    this.runner = new Runner({
      work,
      progress: (ends) => {
        this.progress = new DatabaseProgress(
          { claims, work, access, clock, onRoom: () => this.loop.wake() },
          ends,
        );
        return this.progress;
      },
      access,
      clock,
      random,
      engines,
      tasks,
      reader,
      reports,
    });
    const { loop, progress, runner } = this;
    this.watch = new ClaimWatch({
      node,
      database,
      clock,
      claims,
      work,
      progress,
      runner,
      loop,
      onDamaged: (batch) => this.damaged.add(batch),
      onError,
    });
  }

  start(): void {
    this.loop.poll();
    this.watch.start();
  }

  /** Call it when there may be chunks to claim. */
  wake(): void {
    this.loop.wake(true);
  }

  /** Call it when lines that wait for credit may be able to start. */
  fundsChanged(): void {
    this.parts.access.fundsChanged();
    this.loop.wake();
  }

  /** Call it when other models are loaded. */
  modelsChanged(): void {
    this.loop.endRests();
    this.runner.modelsChanged();
  }

  /** Call it when this node has changed the state of a batch, such as by a cancellation. */
  changed({ id, state }: Batch): void {
    const open = this.claims.find(id);
    if (open !== undefined) this.progress.changed(open, state);
  }

  take(): TakenChanges | null {
    return this.work.take();
  }

  /** Stops without writing anything: the session has ended, and other nodes may claim its chunks. */
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
    this.watch.stop();
    this.runner.stop();
    void this.loop.stop();
  }

  private async claim(keys: readonly string[]): Promise<Claim | null> {
    const { database, access, refused } = this.parts;
    const batches = [...this.damaged, ...refused.resting];
    for (const model of this.unusable) if (this.isUsable(model)) this.unusable.delete(model);
    const skipped = { keys, batches, models: [...this.unusable] };
    for (const { id, key, models } of await claimCandidates(database, skipped)) {
      // The batch duty ends the batches of this key.
      if (access.holder(key)?.hasEnded === true) {
        this.loop.rest(key);
        continue;
      }
      const unusable = models.filter((model) => !this.isUsable(model));
      for (const model of unusable) this.unusable.add(model);
      if (unusable.length > 0) continue;
      const claim = await this.claimOf(id);
      if (claim !== null) return claim;
    }
    return null;
  }

  private isUsable(model: string): boolean {
    const engine = this.parts.engines.engine(model);
    return engine !== undefined && engine.workingLanes > 0;
  }

  /** Null: there is no chunk to claim, or the database refuses it. Then the batch does not delay the others. */
  private async claimOf(id: string): Promise<Claim | null> {
    const { database, session, refused, reports } = this.parts;
    try {
      return await fenced(database, session, this.node, (transaction) =>
        claimChunk(transaction, id, this.node),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailable || error instanceof SessionLost) throw error;
      refused.note([id]);
      reports.error(error, id);
      return null;
    }
  }

  private async run(claim: Claim): Promise<void> {
    const { batch, chunk } = claim;
    try {
      const open = this.claims.find(batch.id);
      // A model that the copy does not allow fails its lines for good: it may have been allowed just before the submission.
      if (open === undefined) await this.parts.directory.update();
      const key = open?.key ?? (await this.keyOf(batch));
      if (!this.stopped) this.open(claim, key);
      else this.work.end({ batch: batch.id, chunk: chunk.chunk, settled: false });
    } catch (error) {
      this.work.end({ batch: batch.id, chunk: chunk.chunk, settled: false });
      throw error;
    }
  }

  private open({ batch, chunk, resolved, aborts, tried }: Claim, key: BatchKey | null): void {
    const found = this.claims.find(batch.id);
    const open = found ?? new OpenBatch(batch, key, { chunks: [] });
    open.countOn(tried);
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

  /** Skips the loss of the session and an unreachable database, which the session reports. */
  private report(error: unknown): void {
    if (this.stopped || isOfSession(error)) return;
    this.parts.reports.error(error, '-');
  }
}
