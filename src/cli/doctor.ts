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
import {
  checkMemory,
  type MemoryReport,
  MODEL_CHECKS,
  prepareEngine,
  requirePlaces,
  SETTINGS_CHECKS,
} from '../server/index.js';
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
import {
  attempt,
  attemptAll,
  attemptFinding,
  examineLedger,
  type Finding,
  ok,
  printFindings,
  problem,
  warning,
} from './findings.js';
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
  const settings = yield* examine(options, environment);
  if (settings === null) return;
  yield* attemptAll('host', examineHost(settings, isServed(settings), thisHost, systemClock));
}

function isServed({ data }: Settings): boolean {
  try {
    return servingProcess(data) !== null;
  } catch {
    return false;
  }
}

/**
 * Checks everything that a start needs, beside a running server too, and changes nothing. A check that fails does not
 * prevent the others. Returns the settings; null if they cannot be read.
 */
export async function* examine(
  { config, checksums }: DoctorOptions,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<Finding, Settings | null> {
  let settings: Settings;
  try {
    // Once: the file may be a pipe.
    settings = loadSettings(environment, config);
  } catch (error) {
    yield problem('settings', error);
    return null;
  }
  yield await attemptFinding('settings', () => examineSecrets(environment, config));
  const links = serviceLinksNotice(environment);
  if (links !== null) yield ok('variables', links);
  for (const [name, check] of Object.entries(SETTINGS_CHECKS)) yield attempt(name, () => check(settings));
  if (settings.store.url === '') yield* attemptAll('data', examineData(settings));
  else yield* attemptAll('database', await examineDatabase(settings));
  const catalog = yield* examineModels(settings, checksums ?? false);
  yield* attemptAll('engine', examineEngine(settings, catalog));
  return settings;
}

function examineSecrets(environment: NodeJS.ProcessEnv, config: string | undefined): Finding {
  const open = openSecrets(environment, config);
  if (open !== null) return warning('settings', open.detail, open.remedy);
  return ok('settings', config ?? (environment.DECIDER_CONFIG || 'no file'));
}

/** Loaded only here: a data folder needs no client of a database. */
const examineDatabase = async (settings: Settings) =>
  (await import('./doctor-database.js')).examineDatabase(settings);

async function* examineData({ data, master_key: given, billing }: Settings): AsyncGenerator<Finding> {
  if (!storeExists(data)) {
    yield ok('data', `${data} ${missingStore(data)}`);
    return;
  }
  const store = openStore(data);
  try {
    yield ok('data', data);
    yield attempt('master key', () => examineMasterKey(store, given));
    const server = servingProcess(data);
    yield ok('serving', server ?? 'no process');
    yield examineClock(store, server !== null);
    yield* examineLedger(reconcile(store), billing.currency);
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
  return given === '' ? join(store.folder, MASTER_KEY_FILE) : 'the setting master_key';
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
  settings: Settings,
  checksums: boolean,
): AsyncGenerator<Finding, Catalog | null> {
  const { models: folder } = settings;
  let catalog: Catalog;
  try {
    catalog = new Catalog(await readManifest(folder), folder);
  } catch (error) {
    yield problem('models', error);
    return null;
  }
  yield ok('models', join(folder, 'manifest.json'));
  for (const [name, check] of Object.entries(MODEL_CHECKS))
    yield attempt(name, () => check(settings, catalog));
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
  try {
    requirePlaces(prepared, engine, catalog.builds);
  } catch (error) {
    yield problem('devices', error);
    return;
  }
  if (!engine.memory_check) {
    yield ok('memory', 'not estimated: engine.memory_check is false');
    return;
  }
  yield attempt('memory', async () =>
    showReport(await checkMemory(engine, prepared, catalog.builds, { data })),
  );
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
  return attempt(`model ${build.id}`, async () => {
    if (checksums) await verifyChecksum(build);
    else for (const { path } of filesOf(build)) requireFile(path);
    return `${build.path}${checksums ? ', SHA-256 as in the manifest' : ''}`;
  });
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
