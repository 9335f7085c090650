import { join } from 'node:path';
import { OperatorError, systemClock, usableCores } from '../base/index.js';
import {
  bytesOf,
  Catalog,
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  cpuBackendFor,
  deriveSizes,
  deviceTitle,
  holdWeights,
  MANIFEST_FILE,
  ModelError,
  memorySpaces,
  openModel,
  readManifest,
} from '../engine/index.js';
import { placeModel, prepareEngine, requireImageRoom } from '../server/index.js';
import { configFile, loadSettings, type Settings } from '../settings/index.js';
import {
  type EngineChoice,
  engineOpener,
  type Goal,
  type Grid,
  holdOpened,
  processMeasurer,
  type TuneReport,
  tunePage,
  tune as tuneWith,
  writeEngine,
} from '../tuning/index.js';
import { checkFiles } from './command-files.js';
import { type Options, print, printError, printJson, reportError } from './output.js';
import { requireEditable } from './own-models.js';
import { tuneText } from './tune-output.js';
import { writeReport } from './whole-output.js';

interface TuneOptions extends Options {
  readonly model?: string;
  readonly minutes: string;
  readonly goal: Goal;
  readonly write?: boolean;
  readonly html?: string;
}

const MINUTES_MIN = 0.05;
const MINUTES_MAX = 600;

/** `decider tune`: exits with status 1 if the device must not be used, or nothing can be recommended. */
export const tune = (options: TuneOptions): Promise<void> =>
  reportError(async () => {
    const minutes = readMinutes(options.minutes);
    const settings = loadSettings(process.env, options.config);
    checkFiles({
      inputs: {
        'the configuration': configFile(process.env, options.config),
        'the manifest': join(settings.models, MANIFEST_FILE),
      },
      outputs: { html: options.html },
    });
    if (options.write) await requireEditable(settings);
    const build = await buildNamed(settings.models, options.model);
    const { plan, measurer, open, close } = openMachine(settings, build);
    try {
      const report = await tuneWith(
        { ...plan, goal: options.goal, ms: minutes * 60_000 },
        { measurer, open, clock: systemClock, onStep: (step) => printError(`${step} …`) },
      );
      if (options.json) printJson(report);
      else print(tuneText(report));
      if (options.html !== undefined) writeReport('html', options.html, await tunePage(report));
      if (report.recommended === null) process.exitCode = 1;
      else if (options.write) await write(settings.models, build, report);
    } finally {
      close();
    }
  });

async function write(
  models: string,
  build: CatalogBuild,
  { recommended, device, goal, date }: TuneReport,
): Promise<void> {
  await writeEngine(models, build, recommended as EngineChoice, { device, date: date.slice(0, 10), goal });
  printError(
    `Written to ${build.model.id} in the manifest of ${models}. A running server uses it after a restart or decider reload.`,
  );
}

/** The first device of a build with the settings of the server, ready to be measured. */
function openMachine({ engine }: Settings, build: CatalogBuild) {
  const prepared = prepareEngine(engine, printError);
  const { devices, bounds, contexts, threads } = placeModel(prepared, engine, build.model);
  requireImageRoom(build, bounds);
  const [device = ''] = devices;
  const { backend, addon } = prepared;
  const { cells, sequences } = bounds;
  // Without the weights: each process that measures loads them.
  const model = openModel(addon, '', build, { sizesOnly: true });
  const sharing = {
    head: model.profile.head(),
    idleCellsMax: engine.idle_cells,
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
  const batch_percent = build.model.engine?.batch_percent ?? BATCH_PERCENT;
  const current = { wave_tokens: bounds.waveTokens, contexts, sequences, threads, batch_percent };
  const grid = gridFor(current, device, model.images !== null);
  const setup = { backend, device, build, bounds, threads };
  const spaces = () => (engine.memory_check ? memorySpaces(addon, [device], false) : []);
  const engines = holdOpened(engineOpener(setup, sharing, model.images, spaces), () =>
    holdWeights(addon, device, build, threads),
  );
  const { bounds: largest } = deriveSizes(
    { cells, sequences, contexts, wave_tokens: Math.max(...grid.waveTokens) },
    device,
  );
  return {
    plan: {
      build: build.id,
      device: deviceTitle(prepared.found, device),
      model,
      machine: { device, cells, sharing, images: model.images },
      current,
      grid,
    },
    measurer: processMeasurer(
      setup,
      largest,
      { backend: cpuBackendFor(backend), device: '', build, threads: prepared.checkThreads },
      bytesOf(build),
    ),
    open: engines.open,
    close() {
      engines.release();
      addon.closeModel(model.handle);
    },
  };
}

/** The scheduler's share of batches beside live requests. */
const BATCH_PERCENT = 20;
/** Wave sizes to choose from. An image takes up to 280 tokens and is never cut. */
const WAVES = { cpu: [64, 128, 256, 512, 1_024], gpu: [256, 512, 1_024, 2_048, 4_096] };
const IMAGE_WAVE_MIN = 512;

/** The settings to choose from; the current ones are among them. */
function gridFor(current: EngineChoice, device: string, readsImages: boolean): Grid {
  const onCpu = device === '';
  const cores = usableCores();
  const waves = WAVES[onCpu ? 'cpu' : 'gpu'].filter((tokens) => !readsImages || tokens >= IMAGE_WAVE_MIN);
  return {
    waveTokens: withCurrent(waves, current.wave_tokens),
    // Contexts on a CPU divide its cores between them.
    contexts: onCpu ? [current.contexts] : withCurrent([1, 2], current.contexts),
    sequences: withCurrent([64, 128], current.sequences),
    threads: onCpu && current.contexts === 1 ? withCurrent([cores], current.threads) : [current.threads],
    batchPercent: withCurrent([10, 20, 40], current.batch_percent),
  };
}

const withCurrent = (values: readonly number[], current: number) => [...new Set([current, ...values])];

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
