import { KeyUses } from '../../access/index.js';
import { type Clock, endAll, entryFile, StoreError, ThreadPool } from '../../base/index.js';
import type { BatchInterface, BatchParts } from '../../batch/index.js';
import type { Abort } from '../../engine/index.js';
import type { Settings } from '../../settings/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { AdministrationThread } from '../administration/administration-thread.js';
import { storeSpace } from '../data-folder/data-folder.js';
import type { Rekeyed, Storage, StorageDependencies } from '../storage.js';
import { problemsOfLists } from './administration/fill-lists.js';
import { createFirstKey } from './administration/first-key.js';
import { reconcile } from './administration/reconcile.js';
import { countAbort } from './batches/aborts.js';
import { FolderBatches } from './batches/batches.js';
import { FolderCalendar } from './calendar.js';
import { FolderKeyUses } from './directory/key-uses.js';
import { FolderAccess } from './ledger/folder-access.js';
import { UNWRITTEN } from './ledger/ledger.js';
import { serveStore } from './lmdb/format.js';
import type { Store } from './lmdb/store.js';
import { checkMasterKey } from './master-key/master-key.js';
import { finishRekey, rekeyServed, removeKeyLink } from './master-key/rekey.js';
import { Sealer } from './master-key/sealer.js';
import { measureStore } from './storage-metrics.js';
import { FolderTasks } from './tasks/tasks.js';

/** The thread that reads stored batches. */
const READING_THREAD = entryFile('storage/folder/batches/reading/reading-thread');
/** The thread that reads and changes the stored data for the operator. */
const ADMINISTRATION_THREAD = entryFile('storage/folder/administration/thread');

/**
 * Opens the data folder for this server alone, and verifies its ledger. Throws OperatorError, with nothing left open.
 */
export async function openFolder(
  settings: Pick<Settings, 'data' | 'master_key'>,
  dependencies: StorageDependencies,
): Promise<Storage> {
  const { log } = dependencies;
  const { store, leave } = serveStore(settings.data, (upgraded) => [
    ...reconcile(upgraded).problems,
    ...problemsOfLists(upgraded),
  ]);
  let stopCalendar = async () => {};
  try {
    const calendar = new FolderCalendar(store, dependencies.clock, log);
    const remaining = finishRekey(store, settings.master_key);
    if (remaining !== null) dependencies.report.notice(remaining);
    const sealer = new Sealer(store, settings.master_key);
    verifyLedger(store, dependencies);
    await store.startWriter();
    stopCalendar = () => calendar.stop();
    await calendar.start();
    return new FolderStorage(store, sealer, calendar, settings.master_key, leave, dependencies);
  } catch (error) {
    // The original error is reported, even if the cleanup fails.
    await endAll([stopCalendar, () => store.close(), leave]).catch(() => {});
    throw error;
  }
}

/** A data folder that this process serves alone. */
class FolderStorage implements Storage {
  readonly access: FolderAccess;
  readonly tasks: FolderTasks;
  readonly administration: AdministrationThread;
  readonly place: string;
  /** The thread that reads stored batches; null until `openBatches`. */
  private reading: ThreadPool | null = null;
  /** Settles when the change of the master key in progress has ended. */
  private rekeying: Promise<unknown> | null = null;

  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly calendar: FolderCalendar,
    /** The configured master key. */
    private given: string,
    /** Ends the lock of the folder. */
    private readonly leave: () => void,
    private readonly dependencies: StorageDependencies,
  ) {
    this.place = 'The data folder';
    const uses = new KeyUses();
    calendar.join(new FolderKeyUses(store, uses));
    const onError = (error: unknown) =>
      dependencies.log.error({ err: error }, 'charges cannot be written to the data folder');
    this.access = new FolderAccess(store, calendar.clock, onError, uses);
    this.tasks = new FolderTasks({
      store,
      sealer,
      access: this.access,
      clock: calendar.clock,
      onError: (error) =>
        dependencies.log.error(
          { err: error },
          'a task cannot be read from the data folder, or written to it',
        ),
    });
    calendar.onJump((ms) => this.tasks.moveTimes(ms));
    this.administration = new AdministrationThread(ADMINISTRATION_THREAD, store.folder, calendar.clock);
  }

  get clock(): Clock {
    return this.calendar.clock;
  }

  async createFirstKey(): Promise<void> {
    createFirstKey(this.store, this.clock, this.dependencies.report);
  }

  openBatches(parts: BatchParts): BatchInterface {
    const { store, sealer, access, clock } = this;
    const reading = new ThreadPool({ file: READING_THREAD, threads: 1, data: store.folder });
    this.reading = reading;
    const batches = new FolderBatches({
      ...parts,
      store,
      sealer,
      access,
      clock,
      read: (call) => reading.run('read', call),
    });
    this.calendar.onJump((ms) => batches.moveTimes(ms));
    return batches;
  }

  async countAbort(abort: Abort): Promise<number> {
    return countAbort(this.store, abort);
  }

  measure(metrics: Metrics): void {
    measureStore(metrics, this.store, this.dependencies.clock);
  }

  probe(): Promise<void> {
    return this.store.probe();
  }

  unreadyReasons(): readonly string[] {
    return this.access.canServe ? [] : [UNWRITTEN];
  }

  status(): object {
    const { folder } = this.store;
    const { free, used } = storeSpace(folder);
    return { folder, bytes: used, disk_free_bytes: Number.isFinite(free) ? free : null };
  }

  prepareMasterKey(next: string): () => void {
    if (this.rekeying !== null) {
      // Its link must stay, and which key is the right one changes with its transaction.
      if (next === this.given) return () => {};
      throw new StoreError('The master key is being changed. Reload again when the change has ended.');
    }
    checkMasterKey(this.store, next);
    return () => this.useMasterKey(next);
  }

  rekey(newKeyFile: string | null): Promise<Rekeyed> {
    const change = rekeyServed(this.store, this.sealer, this.given, newKeyFile).finally(() => {
      this.rekeying = null;
    });
    this.rekeying = change.catch(() => {});
    return change;
  }

  // The lock goes last: another container's LMDB must not be open at the same time (see `refuseOtherContainer`).
  close(): Promise<void> {
    return endAll([
      () => this.reading?.close(),
      () => this.administration.close(),
      () => this.tasks.stop(),
      () => this.access.flush(),
      () => this.rekeying,
      () => this.calendar.stop(),
      () => this.store.close(),
      () => this.leave(),
    ]);
  }

  private useMasterKey(next: string): void {
    if (next === this.given) return;
    this.given = next;
    try {
      removeKeyLink(this.store.folder);
    } catch (error) {
      this.dependencies.log.error(
        { err: error },
        'the link to the file of the new master key cannot be removed',
      );
    }
  }
}

/** A ledger that does not add up is reported, and the server starts: customers need answers meanwhile. */
function verifyLedger(store: Store, { log, report }: StorageDependencies): void {
  const { problems } = reconcile(store);
  for (const problem of problems) log.error({ problem }, 'the ledger does not add up');
  if (problems.length > 0) report.notice('The ledger does not add up. Run: decider doctor');
}
