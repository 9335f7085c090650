import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FOLLOWED_MS, STOPPED_MS_MAX, showTime, systemClock } from '../base/index.js';
import {
  Catalog,
  type CatalogBuild,
  devicesOf,
  deviceTitle,
  filesOf,
  readManifest,
  showMemory,
  verifyChecksum,
} from '../engine/index.js';
import { MASTER_KEY_FILE } from '../sealing/index.js';
import { checkMemory, type MemoryReport, prepareEngine } from '../server/index.js';
import { loadSettings, openSecrets, type Settings, serviceLinksNotice } from '../settings/index.js';
import {
  KEEP_TIME_EVERY_MS,
  openStore,
  readKeptTime,
  reconcile,
  Sealer,
  type Store,
} from '../storage/folder/index.js';
import { servingProcess, storeExists } from '../storage/index.js';
import { examineLedger, type Finding, ok, printFindings, problem, warning } from './findings.js';
import { examineHost } from './host/examine.js';
import { thisHost } from './host/probes.js';
import { type Options, reportError } from './output.js';

/** `decider doctor`: prints a line per check; exits with status 1 if one found a problem. */
export const doctor = (options: Options & DoctorOptions) =>
  reportError(async () => {
    await printFindings(examineAll(options, process.env), options);
  });

interface DoctorOptions {
  readonly config?: string | undefined;
  /** Also reads every model file and compares its SHA-256. */
  readonly checksums?: boolean | undefined;
}

/** Checks what a start needs, then the host, if the settings can be read. */
async function* examineAll(options: DoctorOptions, environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield* examine(options, environment);
  let settings: Settings;
  try {
    settings = loadSettings(environment, options.config);
  } catch {
    return;
  }
  yield* examineHost(settings, isServed(settings), thisHost, systemClock);
}

function isServed({ data }: Settings): boolean {
  try {
    return servingProcess(data) !== null;
  } catch {
    return false;
  }
}

/** Checks everything that a start needs, beside a running server too, and changes nothing. */
export async function* examine(
  { config, checksums }: DoctorOptions,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<Finding> {
  let settings: Settings;
  try {
    settings = loadSettings(environment, config);
  } catch (error) {
    yield problem('settings', error);
    return;
  }
  const open = openSecrets(environment, config);
  yield open === null
    ? ok('settings', config ?? (environment.DECIDER_CONFIG || 'no file'))
    : warning('settings', open.detail, open.remedy);
  const links = serviceLinksNotice(environment);
  if (links !== null) yield ok('variables', links);
  const { prices, currency } = settings.billing;
  yield ok('prices', `${currency} for ${[...prices.keys()].join(', ')}`);
  if (settings.store.url === '') yield* examineData(settings);
  else yield* (await import('./doctor-database.js')).examineDatabase(settings);
  const catalog = yield* examineModels(settings, checksums ?? false);
  yield* examineEngine(settings, catalog);
}

async function* examineData(settings: Settings): AsyncGenerator<Finding> {
  const { data, master_key: given } = settings;
  if (!storeExists(data)) {
    yield ok('data', `${data} ${missingStore(data)}`);
    return;
  }
  let store: Store;
  try {
    store = openStore(data);
  } catch (error) {
    yield problem('data', error);
    return;
  }
  try {
    yield ok('data', data);
    yield attempt('master key', () => examineMasterKey(store, given));
    const server = servingProcess(data);
    yield ok('serving', server ?? 'no process');
    yield examineClock(store, server !== null);
    yield* examineLedger(reconcile(store), settings.billing.currency);
  } catch (error) {
    yield problem('data', error);
  } finally {
    await store.close();
  }
}

/** Why a data folder has no store. */
const missingStore = (data: string): string =>
  existsSync(data)
    ? 'is there and has no data yet; the first start creates it there'
    : 'does not exist yet; the first start creates it';

function examineMasterKey(store: Store, given: string): string {
  if (store.table('meta').get('master') === undefined)
    return 'does not exist yet; the first start creates it';
  // Throws if the key is missing, readable by others, or not the one that sealed the folder.
  new Sealer(store, given);
  return given === '' ? join(store.folder, MASTER_KEY_FILE) : 'DECIDER_MASTER_KEY';
}

/**
 * Compares the system clock with the newest time in the store. A clock behind it is wrong, or was; one ahead of it is
 * wrong only if a running server stores the time every minute.
 */
function examineClock(store: Store, served: boolean, now: number = systemClock.now()): Finding {
  const kept = readKeptTime(store);
  if (kept === null) return ok('clock', 'no time recorded yet');
  const recorded = showTime(kept.shown);
  const ahead = now - kept.shown;
  if (ahead < -FOLLOWED_MS) {
    const detail = `the system clock is ${seconds(-ahead)} behind the last recorded time, ${recorded}. Check the clock (NTP).`;
    return { check: 'clock', ok: false, detail };
  }
  if (served && ahead > KEEP_TIME_EVERY_MS * 2) {
    const detail = `the system clock is ${seconds(ahead)} ahead of the running server's calendar, ${recorded}. Check the clock (NTP).`;
    return { check: 'clock', ok: false, detail };
  }
  const stopped = ahead > STOPPED_MS_MAX ? '; after a start nothing expires for 5 minutes' : '';
  return ok('clock', `last recorded time ${recorded}${stopped}`);
}

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;

/** Returns null if the manifest cannot be read. */
async function* examineModels(
  { models: folder }: Settings,
  checksums: boolean,
): AsyncGenerator<Finding, Catalog | null> {
  let catalog: Catalog;
  try {
    catalog = new Catalog(await readManifest(folder), folder);
  } catch (error) {
    yield problem('models', error);
    return null;
  }
  yield ok('models', join(folder, 'manifest.json'));
  for (const build of catalog.builds) yield await examineBuild(build, checksums);
  return catalog;
}

async function* examineEngine({ engine, data }: Settings, catalog: Catalog | null): AsyncGenerator<Finding> {
  const notices: string[] = [];
  let prepared: ReturnType<typeof prepareEngine>;
  try {
    prepared = prepareEngine(engine, (sentence) => notices.push(sentence));
  } catch (error) {
    yield problem('backend', error);
    return;
  }
  const { backend, device } = prepared;
  yield ok('backend', [device === '' ? 'CPU' : `${device} (${backend})`, ...notices].join('. '));
  if (catalog === null) return;
  yield* examineTuning(catalog, prepared);
  if (!engine.memory_check) {
    yield ok('memory', 'not estimated: engine.memory_check is false');
    return;
  }
  try {
    yield ok('memory', showReport(await checkMemory(engine, prepared, catalog.builds, { data })));
  } catch (error) {
    yield problem('memory', error);
  }
}

/** Whether `decider tune` has chosen the settings of each model for its first device. */
function* examineTuning(
  catalog: Catalog,
  { found, devices }: ReturnType<typeof prepareEngine>,
): Generator<Finding> {
  for (const model of new Set(catalog.builds.map((build) => build.model))) {
    const [device = ''] = devicesOf(model, devices);
    const title = deviceTitle(found, device);
    const tuned = model.engine?.tuned;
    yield ok(
      'tuning',
      tuned?.device === title
        ? `${model.id} on ${title}: ${tuned.date}, for ${tuned.goal}`
        : `${model.id} was never tuned on ${title}. decider tune --model ${model.id} measures it`,
    );
  }
}

function showReport({ builds, needs, spaces }: MemoryReport): string {
  const shown = needs.map((need) =>
    showMemory(need, spaces.find(({ device }) => device === need.device)?.free),
  );
  const failures = builds.flatMap(({ failure }) => (failure === null ? [] : [`not estimated: ${failure}`]));
  return [...shown, ...failures].join('; ');
}

async function examineBuild(build: CatalogBuild, checksums: boolean): Promise<Finding> {
  const check = `model ${build.id}`;
  try {
    if (checksums) await verifyChecksum(build);
    else for (const { path } of filesOf(build)) requireFile(path);
    return ok(check, `${build.path}${checksums ? ', SHA-256 as in the manifest' : ''}`);
  } catch (error) {
    return problem(check, error);
  }
}

function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  throw new Error(
    found === undefined
      ? `${path}: no such file. Copy it there, or install the model again with decider models pull or add; decider models remove takes it out of the manifest`
      : `${path}: not a regular file`,
  );
}

function attempt(check: string, look: () => string): Finding {
  try {
    return ok(check, look());
  } catch (error) {
    return problem(check, error);
  }
}
