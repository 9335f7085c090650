import {
  createKey,
  createWorkspace,
  DEFAULT_WORKSPACE,
  grantCredit,
  listWorkspaces,
  parseAmount,
  reconcile,
  StoredAccess,
} from '../../access/index.js';
import { type Clock, endAll, ThreadPool } from '../../base/index.js';
import { Batches, type BatchInterface, countAbort, READING_THREAD } from '../../batch/index.js';
import type { Abort } from '../../engine/index.js';
import type { Settings } from '../../settings/index.js';
import {
  checkMasterKey,
  finishRekey,
  type Rekeyed,
  rekeyServed,
  removeKeyLink,
  Sealer,
  type Store,
  StoreError,
  serveStore,
  storeSpace,
} from '../../store/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { Administration } from '../administration/administration.js';
import type { ServerDependencies, StartReport } from '../dependencies.js';
import { removeOutcome } from '../reload/outcome-file.js';
import { Calendar } from './calendar.js';
import { FIRST_CREDIT } from './first-credit.js';
import type { BatchParts, OpenAccess } from './open-access.js';
import { measureStore } from './store-metrics.js';

/**
 * Opens the data folder for this server alone, verifies its ledger, and creates a workspace and a key if there are
 * none. Throws OperatorError, with nothing left open.
 */
export async function openFolder(
  settings: Pick<Settings, 'data' | 'master_key'>,
  dependencies: ServerDependencies,
): Promise<OpenAccess> {
  const { log } = dependencies;
  const { store, leave } = serveStore(settings.data, (upgraded) => reconcile(upgraded).problems);
  let sealer: Sealer;
  let calendar: Calendar;
  let stopCalendar = async () => {};
  try {
    // Of a process that was killed and may have had the same id, as in a container.
    removeOutcome(settings.data);
    calendar = new Calendar(store, dependencies.clock, log);
    const remaining = finishRekey(store, settings.master_key);
    if (remaining !== null) dependencies.report.notice(remaining);
    sealer = new Sealer(store, settings.master_key);
    verifyLedger(store, dependencies);
    await store.startWriter();
    stopCalendar = () => calendar.stop();
    await calendar.start();
    // Last, because a printed token must work.
    createFirstKey(store, calendar.clock, dependencies.report);
  } catch (error) {
    // The original error is reported, even if the cleanup fails.
    await endAll([stopCalendar, () => store.close(), leave]).catch(() => {});
    throw error;
  }
  return new OpenFolder(store, sealer, calendar, settings.master_key, leave, dependencies);
}

/** A data folder that this process serves alone. */
class OpenFolder implements OpenAccess {
  readonly access: StoredAccess;
  readonly administration: Administration;
  readonly place: string;
  /** The thread that reads stored batches; null until `openBatches`. */
  private reading: ThreadPool | null = null;
  /** Settles when the change of the master key in progress has ended. */
  private rekeying: Promise<unknown> | null = null;

  constructor(
    private readonly store: Store,
    private readonly sealer: Sealer,
    private readonly calendar: Calendar,
    /** The configured master key. */
    private given: string,
    /** Ends the lock of the folder. */
    private readonly leave: () => void,
    private readonly dependencies: ServerDependencies,
  ) {
    this.place = 'The data folder';
    this.access = new StoredAccess(store, calendar.clock, (error) =>
      dependencies.log.error({ err: error }, 'charges cannot be written to the data folder'),
    );
    this.administration = new Administration(store.folder, calendar.clock);
  }

  get clock(): Clock {
    return this.calendar.clock;
  }

  openBatches(parts: BatchParts): BatchInterface {
    const { store, sealer, access, clock } = this;
    const reading = new ThreadPool({ file: READING_THREAD, threads: 1, data: store.folder });
    this.reading = reading;
    const batches = new Batches({
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
    return [];
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
function verifyLedger(store: Store, { log, report }: ServerDependencies): void {
  const { problems } = reconcile(store);
  for (const problem of problems) log.error({ problem }, 'the ledger does not add up');
  if (problems.length > 0) report.notice('The ledger does not add up. Run: decider doctor');
}

/**
 * On the first start, creates a workspace with credit and a key, and reports its token once. One transaction: if the
 * start is interrupted, the next one is again the first.
 */
function createFirstKey(store: Store, clock: Clock, report: StartReport): void {
  if (listWorkspaces(store).length > 0) return;
  const { token } = store.as('server', () =>
    store.change(() => {
      createWorkspace(store, clock, DEFAULT_WORKSPACE);
      grantCredit(store, clock, DEFAULT_WORKSPACE, parseAmount(FIRST_CREDIT) as bigint);
      return createKey(store, clock, DEFAULT_WORKSPACE);
    }),
  );
  report.token(token);
}
