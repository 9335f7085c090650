import {
  Access,
  createKey,
  createWorkspace,
  DEFAULT_WORKSPACE,
  grantCredit,
  listWorkspaces,
  type Price,
  parseAmount,
  readPrices,
  reconcile,
} from '../access/index.js';
import { type Clock, endAll } from '../base/index.js';
import type { Catalog } from '../engine/index.js';
import { openStore, Sealer, type Store, serveAlone } from '../store/index.js';
import { Calendar } from './calendar.js';
import type { ServerDependencies, StartReport } from './engines.js';
import type { Settings } from './settings.js';
import { StartError } from './start-error.js';

/** What the workspace of a first start may spend, in whole units of the currency. */
const FIRST_CREDIT = '100';

/** The data folder, opened for serving. */
export interface OpenAccess {
  readonly access: Access;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly calendar: Calendar;
  /** The price of a build's tokens. */
  priceOf(build: string): Price;
  /** Writes what is charged, and gives the folder free. */
  close(): Promise<void>;
}

/**
 * Opens the data folder for this server alone, proves its ledger, and makes a workspace and a key where there is
 * none. Throws StoreError, AccessError or StartError, with nothing left open.
 */
export async function openAccess(
  settings: Settings,
  dependencies: ServerDependencies,
  catalog: Catalog,
): Promise<OpenAccess> {
  const { log } = dependencies;
  const prices = pricesOf(settings, catalog);
  const store = openStore(settings.data);
  let leave = () => {};
  let sealer: Sealer;
  let calendar: Calendar;
  let stopCalendar = async () => {};
  try {
    leave = serveAlone(settings.data);
    calendar = new Calendar(store, dependencies.clock, log);
    sealer = new Sealer(store, settings.master_key);
    prove(store, dependencies);
    await store.startWriter();
    stopCalendar = () => calendar.stop();
    await calendar.start();
    // Last, because a token that has been printed must work.
    welcome(store, calendar.clock, dependencies.report);
  } catch (error) {
    // The original error is reported, even if the cleanup fails.
    await endAll([stopCalendar, () => store.close(), leave]).catch(() => {});
    throw error;
  }
  const access = new Access(store, calendar.clock, (error) =>
    log.error({ err: error }, 'charges cannot be written to the data folder'),
  );
  return {
    access,
    store,
    sealer,
    calendar,
    priceOf: (build) => prices.get(build) as Price,
    // The lock goes last: another container's LMDB must not be open at the same time (see `refuseOtherContainer`).
    close: () => endAll([() => access.flush(), stopCalendar, () => store.close(), leave]),
  };
}

/** By build. A model whose price nobody set would be given away. */
function pricesOf(settings: Settings, catalog: Catalog): ReadonlyMap<string, Price> {
  const classes = readPrices(settings['billing.prices']);
  return new Map(
    catalog.builds.map(({ id, model }) => {
      const price = classes.get(model.price_class);
      if (price !== undefined) return [id, price];
      throw new StartError(
        `billing.prices names no class ${model.price_class}, which is the price class of ${model.id}.`,
      );
    }),
  );
}

/** A ledger that does not add up is told, and goes on: its customers need answers meanwhile. */
function prove(store: Store, { log, report }: ServerDependencies): void {
  const { problems } = reconcile(store);
  for (const problem of problems) log.error({ problem }, 'the ledger does not add up');
  if (problems.length > 0) report.notice('The ledger does not add up: see decider doctor.');
}

/**
 * The first start makes a workspace with credit, and a key whose token is told this once. All in one transaction: a
 * start that ends in the middle leaves the next one the first.
 */
function welcome(store: Store, clock: Clock, report: StartReport): void {
  if (listWorkspaces(store).length > 0) return;
  const { token } = store.change(() => {
    createWorkspace(store, clock, DEFAULT_WORKSPACE);
    grantCredit(store, clock, DEFAULT_WORKSPACE, parseAmount(FIRST_CREDIT) as bigint);
    return createKey(store, clock, DEFAULT_WORKSPACE);
  });
  report.token(token);
}
