import {
  createKey,
  createWorkspace,
  DEFAULT_WORKSPACE,
  grantCredit,
  listWorkspaces,
  parseAmount,
  reconcile,
  StoredAccess,
} from '../access/index.js';
import { type Clock, endAll } from '../base/index.js';
import type { Settings } from '../settings/index.js';
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
} from '../store/index.js';
import { Administration } from './administration/administration.js';
import { Calendar } from './calendar.js';
import type { ServerDependencies, StartReport } from './dependencies.js';
import { removeOutcome } from './reload/outcome-file.js';

/** Credit of the workspace that the first start creates, in units of the currency. */
const FIRST_CREDIT = '100';

/** The data folder, opened for serving. */
export interface OpenAccess {
  readonly access: StoredAccess;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly calendar: Calendar;
  readonly administration: Administration;
  /**
   * Checks the configured master key. The returned function, to be called in the same turn of the event loop, records that
   * it is configured, and never throws. Throws StoreError.
   */
  prepareMasterKey(given: string): () => void;
  /** Changes the master key while the folder is served; see `rekeyServed`. One change at a time. Rejects with StoreError. */
  rekey(newKeyFile: string | null): Promise<Rekeyed>;
  /** Writes the charges and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the data folder for this server alone, verifies its ledger, and creates a workspace and a key if there are
 * none. Throws OperatorError, with nothing left open.
 */
export async function openAccess(
  settings: Pick<Settings, 'data' | 'master_key'>,
  dependencies: ServerDependencies,
): Promise<OpenAccess> {
  const { log } = dependencies;
  let given = settings.master_key;
  /** Settles when the change of the master key in progress has ended. */
  let rekeying: Promise<unknown> | null = null;
  const { store, leave } = serveStore(settings.data, (upgraded) => reconcile(upgraded).problems);
  let sealer: Sealer;
  let calendar: Calendar;
  let stopCalendar = async () => {};
  try {
    // Of a process that was killed and may have had the same id, as in a container.
    removeOutcome(settings.data);
    calendar = new Calendar(store, dependencies.clock, log);
    const remaining = finishRekey(store, given);
    if (remaining !== null) dependencies.report.notice(remaining);
    sealer = new Sealer(store, given);
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
  const access = new StoredAccess(store, calendar.clock, (error) =>
    log.error({ err: error }, 'charges cannot be written to the data folder'),
  );
  const administration = new Administration(settings.data, calendar.clock);
  return {
    access,
    store,
    sealer,
    calendar,
    administration,
    prepareMasterKey(next) {
      if (rekeying !== null) {
        // Its link must stay, and which key is the right one changes with its transaction.
        if (next === given) return () => {};
        throw new StoreError('The master key is being changed. Reload again when the change has ended.');
      }
      checkMasterKey(store, next);
      return () => {
        if (next === given) return;
        given = next;
        try {
          removeKeyLink(store.folder);
        } catch (error) {
          log.error({ err: error }, 'the link to the file of the new master key cannot be removed');
        }
      };
    },
    rekey(newKeyFile) {
      const change = rekeyServed(store, sealer, given, newKeyFile).finally(() => {
        rekeying = null;
      });
      rekeying = change.catch(() => {});
      return change;
    },
    // The lock goes last: another container's LMDB must not be open at the same time (see `refuseOtherContainer`).
    close: () =>
      endAll([
        () => administration.close(),
        () => access.flush(),
        () => rekeying,
        stopCalendar,
        () => store.close(),
        leave,
      ]),
  };
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
