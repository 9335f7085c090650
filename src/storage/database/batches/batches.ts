import { auditEntry, cancelRecord } from '../../../access/index.js';
import type { BatchState } from '../../../api/index.js';
import type { Owner } from '../../../base/index.js';
import {
  type Batch,
  type BatchInterface,
  CallerBatches,
  type ListAnswer,
  mayBeCancelled,
  type ResultStream,
  resultPieces,
  Submitter,
} from '../../../batch/index.js';
import { addAuditEntry } from '../administration/audit-log.js';
import { inChange } from '../administration/change.js';
import type { LedgerPart, TakenChanges } from '../ledger/part.js';
import { certainTransaction } from '../postgres/certain.js';
import type { Transaction } from '../postgres/database.js';
import { guarded, guardFormat } from '../postgres/schema/format.js';
import { DatabaseBatchStore } from './batch-store.js';
import { DataKeys } from './data-keys.js';
import type { DatabaseBatchDependencies } from './dependencies.js';
import { LineAccess } from './line-access.js';
import { BatchMaintenance } from './maintenance/maintenance.js';
import { OpenCounts } from './open-counts.js';
import { DatabaseReader } from './reading/reader.js';
import { DatabaseStoredBytes } from './stored-bytes.js';
import { applyEvent } from './tables/batch-events.js';
import { findBatch } from './tables/batch-table.js';
import { putCollected } from './tables/due.js';
import { dataKey } from './tables/values.js';
import { finishIfSettled } from './tables/work.js';
import { orCannotRead, orUnknown } from './unavailable.js';
import { BatchWorker } from './worker/batch-worker.js';
import { RefusedBatches } from './worker/refused-batches.js';

/** The interval, in milliseconds, of the checks for a new session. */
const FOLLOW_MS = 250;

/** The batch interface over the database of a cluster. Its constructor composes this folder. */
export class DatabaseBatches extends CallerBatches implements BatchInterface, LedgerPart {
  private readonly keys: DataKeys;
  private readonly reader: DatabaseReader;
  private readonly store: DatabaseBatchStore;
  protected readonly submitter: Submitter;
  private readonly counts: OpenCounts;
  private readonly lineAccess: LineAccess;
  private readonly refused: RefusedBatches;
  /** Null while this node has no session. */
  private worker: BatchWorker | null = null;
  private maintenance: BatchMaintenance | null = null;
  /** Resolves when the maintenance of the previous session has ended. */
  private ending: Promise<void> = Promise.resolve();
  private stopped = false;
  private cancelFollow = () => {};

  constructor(private readonly deps: DatabaseBatchDependencies) {
    super(deps.terms);
    const { database, access, clock, engines, tasks, files, webhooks, reports, ledger, directory, session } =
      deps;
    this.keys = new DataKeys(deps.masterKey);
    this.reader = new DatabaseReader(database, (call) => deps.open(call));
    this.refused = new RefusedBatches(clock);
    this.lineAccess = new LineAccess({ session, directory, ledger, clock });
    this.store = new DatabaseBatchStore({
      database,
      keys: this.keys,
      storage: new DatabaseStoredBytes(database, clock, deps),
      reports,
      onStored: () => this.worker?.wake(),
    });
    this.submitter = new Submitter({ batches: this.store, access, files, tasks, engines, webhooks });
    this.counts = new OpenCounts(database, clock);
  }

  async start(): Promise<void> {
    const { session, ledger } = this.deps;
    ledger.join(this);
    ledger.onFunds(() => this.worker?.fundsChanged());
    session.onLost(() => this.drop());
    this.follow();
    await this.counts.start();
  }

  get openCount(): number {
    return this.counts.count;
  }

  get openModels(): readonly string[] {
    return [...new Set([...this.counts.models.keys(), ...this.store.modelsBeingStored])];
  }

  get openByModel(): ReadonlyMap<string, number> {
    return this.counts.models;
  }

  get openStates(): Readonly<Partial<Record<BatchState, number>>> {
    return this.counts.states;
  }

  modelsChanged(): void {
    this.worker?.modelsChanged();
  }

  /** Does nothing: stored times are by the database's clock, which corrections of this host's clock do not change. */
  async moveTimes(): Promise<void> {}

  /** Gives the chunks of this node back. Stop the ledger afterwards: its last exchange writes the change. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelFollow();
    this.counts.stop();
    await Promise.all([this.worker?.stop(), this.maintenance?.stop(), this.ending]);
  }

  take(): TakenChanges | null {
    return this.worker?.take() ?? null;
  }

  /** Starts the worker and the maintenance of a new session, now and at intervals. */
  private follow(): void {
    const { session, clock } = this.deps;
    if (this.stopped) return;
    if (session.id !== null && this.worker === null) this.begin(session.id);
    this.cancelFollow = clock.after(FOLLOW_MS, () => this.follow());
  }

  private begin(node: number): void {
    const { deps, keys, lineAccess, reader, refused } = this;
    const onEnded = (batches: readonly string[]) => void this.finish(batches);
    this.worker = new BatchWorker(node, { ...deps, keys, access: lineAccess, reader, refused, onEnded });
    this.maintenance = new BatchMaintenance(node, { ...deps, keys });
    this.worker.start();
    this.maintenance.start();
  }

  private drop(): void {
    this.worker?.drop();
    this.worker = null;
    const { maintenance } = this;
    this.maintenance = null;
    if (maintenance !== null) this.ending = Promise.all([this.ending, maintenance.end()]).then(() => {});
  }

  /** Finishes batches whose last chunk was given back. If this fails, the maintenance finishes them. */
  private async finish(batches: readonly string[]): Promise<void> {
    const { database, reports } = this.deps;
    for (const id of batches) {
      if (this.stopped) return;
      await guarded(database, (transaction) => finishIfSettled(transaction, id)).catch((error) =>
        reports.error(error, id),
      );
    }
  }

  private async collected(id: string): Promise<void> {
    const { database, reports } = this.deps;
    await putCollected(database, id).catch((error) => reports.error(error, id));
  }

  protected find(id: string): Promise<Batch | undefined> {
    return this.read(() => findBatch(this.deps.database, id));
  }

  protected listPart(owner: Owner, from: number, count: number | null): Promise<ListAnswer> {
    return this.read(() => this.reader.list(owner, from, count, this.terms));
  }

  protected async cancelStored(id: string, actor: string | null): Promise<Batch | undefined> {
    const { database, reports } = this.deps;
    // A second cancel changes nothing, so it tells what became of the first.
    const cancel = async (transaction: Transaction) => {
      await guardFormat(transaction);
      return applyEvent(transaction, id, 'cancel');
    };
    const audited = (by: string) =>
      inChange(database, by, ({ transaction, now }) =>
        applyEvent(transaction, id, 'cancel', (batch) =>
          addAuditEntry(transaction, auditEntry(now, by, cancelRecord(batch))),
        ),
      );
    const batch = await orUnknown(
      reports,
      id,
      () => mayBeCancelled(id),
      () => (actor === null ? certainTransaction(database, cancel, cancel) : audited(actor)),
    );
    if (batch !== undefined) this.worker?.changed(batch);
    return batch;
  }

  protected async resultsOf(owner: Owner, batch: Batch): Promise<ResultStream | undefined> {
    const { id } = batch;
    const sealed = await this.read(() => dataKey(this.deps.database, id));
    if (sealed === undefined) return undefined;
    const key = this.keys.open(id, sealed);
    const pieces = resultPieces(async (from) => {
      const answer = await this.reader.results(owner, batch, key, from);
      if (answer === undefined) throw new Error(`The batch ${id} has been deleted.`);
      return answer;
    });
    return { pieces, collected: () => void this.collected(id) };
  }

  private read<Result>(work: () => Promise<Result>): Promise<Result> {
    return orCannotRead(this.deps.reports, work);
  }
}
