import { type Access, parseAmount } from '../../access/index.js';
import { type Clock, endAll, entryFile, OperatorError, StartError, ThreadPool } from '../../base/index.js';
import type { BatchInterface, BatchParts } from '../../batch/index.js';
import type { Abort } from '../../engine/index.js';
import type { Settings } from '../../settings/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { AdministrationThread } from '../administration/administration-thread.js';
import { storeExists } from '../data-folder/data-folder.js';
import { serveWithoutStore } from '../data-folder/serving.js';
import { FIRST_CREDIT, type Rekeyed, type Storage, type StorageDependencies } from '../storage.js';
import { createFirstKey, isEmptyDatabase } from './administration/first-key.js';
import { DatabaseBatches } from './batches/batches.js';
import { countAbort } from './batches/tables/aborts.js';
import { useDatabaseKey } from './master-key.js';
import { Node } from './node.js';
import { databaseNow } from './postgres/calendar-sql.js';
import { DatabaseUnavailable, StatementError } from './postgres/database-errors.js';
import { requireFormat } from './postgres/schema/format.js';
import { requireUsable } from './postgres/usable.js';
import { measureDatabase } from './storage-metrics.js';
import { DatabaseTasks } from './tasks/tasks.js';

/** The thread that decrypts stored values of batches. */
const OPENING_THREAD = entryFile('storage/database/batches/reading/reading-thread');
/** The thread that reads and changes the stored data for the operator. */
const ADMINISTRATION_THREAD = entryFile('storage/database/administration/thread');

type DatabaseSettings = Pick<Settings, 'data' | 'master_key' | 'store'>;

/**
 * Makes this process a node of the cluster of the database in `store.url`. In the data folder it keeps only what concerns
 * the process. Throws OperatorError, with nothing left open.
 */
export async function openDatabase(
  settings: DatabaseSettings,
  dependencies: StorageDependencies,
): Promise<Storage> {
  const { clock, log } = dependencies;
  const leave = serveWithoutStore(settings.data);
  let node: Node | null = null;
  let stop = async () => {};
  try {
    const opened = new Node(settings.store, clock, log);
    node = opened;
    stop = () => opened.disconnect();
    await requireUsable(node.database);
    await requireFormat(node.database);
    const master = await useDatabaseKey(node.database, settings.master_key);
    await refuseForgotten(node, settings.data);
    stop = () => opened.stop();
    await node.start();
    return new DatabaseStorage(settings, node, master, leave, dependencies);
  } catch (error) {
    // The original error is reported, even if the cleanup fails.
    await endAll([stop, leave]).catch(() => {});
    throw startError(error);
  }
}

/** The error of a start for one that the database is the cause of. */
function startError(error: unknown): unknown {
  const isOfDatabase = error instanceof DatabaseUnavailable || error instanceof StatementError;
  return isOfDatabase ? new StartError(error.message) : error;
}

/** A first start would hide what the data folder holds. Throws StartError. */
async function refuseForgotten({ database }: Node, folder: string): Promise<void> {
  if (!storeExists(folder) || !(await isEmptyDatabase(database))) return;
  throw new StartError(
    `The database in store.url is empty, and the data folder ${folder} has data. Copy it (decider store move --to database), or set another data folder (data, DECIDER_DATA).`,
  );
}

/** A database that this process shares with others. */
class DatabaseStorage implements Storage {
  readonly access: Access;
  readonly tasks: DatabaseTasks;
  readonly administration: AdministrationThread;
  readonly clock: Clock;
  readonly place = 'The database';
  /** The thread that decrypts stored batches; null until `openBatches`. */
  private opening: ThreadPool | null = null;

  constructor(
    private readonly settings: DatabaseSettings,
    private readonly node: Node,
    private readonly master: Buffer,
    /** Ends the lock of the folder. */
    private readonly leave: () => void,
    private readonly dependencies: Pick<StorageDependencies, 'log' | 'report'>,
  ) {
    const { log } = dependencies;
    this.access = node.access;
    this.clock = node.session.clock;
    this.tasks = new DatabaseTasks({
      database: node.database,
      session: node.session,
      masterKey: () => master,
      clock: this.clock,
      onError: (error) => log.error({ err: error }, 'the database refused a statement about tasks'),
    });
    // If the update fails, the polls do it.
    const refresh = () => node.directory.update().catch(() => {});
    this.administration = new AdministrationThread(
      ADMINISTRATION_THREAD,
      settings.store,
      this.clock,
      refresh,
    );
  }

  async createFirstKey(): Promise<void> {
    const { database, directory } = this.node;
    try {
      const token = await createFirstKey(database, parseAmount(FIRST_CREDIT) as bigint);
      if (token === null) return;
      // If the update fails, the polls do it.
      await directory.update().catch(() => {});
      this.dependencies.report.token(token);
    } catch (error) {
      throw startError(error);
    }
  }

  openBatches(parts: BatchParts): BatchInterface {
    const { node, master, clock, access } = this;
    const { database, session, directory, ledger } = node;
    const opening = new ThreadPool({ file: OPENING_THREAD, threads: 1, data: null });
    this.opening = opening;
    return new DatabaseBatches({
      ...parts,
      database,
      session,
      directory,
      ledger,
      access,
      clock,
      masterKey: () => master,
      open: (call) => opening.run('open', call),
    });
  }

  countAbort(abort: Abort): Promise<number> {
    return countAbort(this.node.database, abort);
  }

  measure(metrics: Metrics): void {
    measureDatabase(metrics, this.node);
  }

  async probe(): Promise<void> {
    try {
      await databaseNow(this.node.database);
    } catch (error) {
      throw error instanceof DatabaseUnavailable ? new OperatorError(error.message) : error;
    }
  }

  unreadyReasons(): readonly string[] {
    return this.node.unreadyReasons();
  }

  status(): object {
    const { session, connections } = this.node;
    const { open, used } = connections;
    return {
      folder: this.settings.data,
      database: {
        session: session.id,
        nodes: session.nodes,
        connections: open,
        connections_used: used,
        clock: clockOf(session),
      },
    };
  }

  prepareMasterKey(given: string): () => void {
    if (given === this.settings.master_key) return () => {};
    throw new OperatorError('master_key: the master key of a database cannot be changed.');
  }

  rekey(): Promise<Rekeyed> {
    return Promise.reject(new OperatorError('The master key of a database cannot be changed.'));
  }

  close(): Promise<void> {
    return endAll([
      () => this.opening?.close(),
      () => this.administration.close(),
      () => this.tasks.stop(),
      () => this.node.stop(),
      this.leave,
    ]);
  }
}

/** How the clock of the database behaves. */
function clockOf({ calendar, clock, skew }: Node['session']): object {
  const certain = clock.certainFor();
  return {
    host_ahead_ms: skew.ms,
    jump_ms: calendar.jumpMs,
    certain_ms: Number.isFinite(certain) ? certain : null,
  };
}
