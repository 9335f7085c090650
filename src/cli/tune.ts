import { OperatorError } from '../base/index.js';
import {
  bytesOf,
  Catalog,
  type CatalogBuild,
  cpuBackendFor,
  ModelError,
  readManifest,
} from '../engine/index.js';
import { placeModel, prepareEngine, requireImageRoom } from '../server/index.js';
import { loadSettings } from '../settings/index.js';
import { processMeasurer, tune as tuneWith } from '../tuning/index.js';
import { type Options, print, printError, printJson, reportError } from './output.js';
import { tuneText } from './tune-output.js';

interface TuneOptions extends Options {
  readonly model?: string;
  readonly minutes: string;
}

const MINUTES_MIN = 0.05;
const MINUTES_MAX = 600;

/** `decider tune`: exits with status 1 if the device must not be used, or nothing can be recommended. */
export const tune = (options: TuneOptions): Promise<void> =>
  reportError(async () => {
    const minutes = readMinutes(options.minutes);
    const settings = loadSettings(process.env, options.config);
    const build = await buildNamed(settings.models, options.model);
    const prepared = prepareEngine(settings.engine, printError);
    const { devices, bounds, threads } = placeModel(prepared, settings.engine, build.model);
    requireImageRoom(build, bounds);
    const [device = ''] = devices;
    const { backend } = prepared;
    const measurer = processMeasurer(
      { backend, device, build, bounds, threads },
      { backend: cpuBackendFor(backend), device: '', build, threads: prepared.checkThreads },
      bytesOf(build),
    );
    const report = await tuneWith({ ms: minutes * 60_000 }, measurer, (step) => printError(`${step} …`));
    if (options.json) printJson(report);
    else print(tuneText(report));
    if (report.refusals.length > 0) process.exitCode = 1;
  });

async function buildNamed(models: string, name: string | undefined): Promise<CatalogBuild> {
  const catalog = new Catalog(await readManifest(models), models);
  if (name === undefined) return catalog.default;
  const found = catalog.find(name);
  if (found === undefined)
    throw new ModelError(`The manifest has no model ${name}. Run: decider models list`);
  return found;
}

function readMinutes(text: string): number {
  const minutes = /^\d{1,4}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= MINUTES_MIN && minutes <= MINUTES_MAX) return minutes;
  throw new OperatorError(`minutes: "${text}" is not a number from ${MINUTES_MIN} to ${MINUTES_MAX}.`);
}
