import {
  bytesOf,
  Catalog,
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  type CountMemory,
  checkModel,
  cpuBackendFor,
  devicesOf,
  Engine,
  EngineThread,
  EXACT,
  holdWeights,
  type ImageReading,
  listDevices,
  loadVerified,
  type Manifest,
  type MemorySpace,
  ModelError,
  memoryCounter,
  memorySpaces,
  readManifest,
  requireReserve,
  type Sharing,
  threadDevices,
  type WaveRecord,
} from '../engine/index.js';
import type { Settings } from '../settings/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import type { ServerDependencies } from './dependencies.js';
import { engineEvents, measureEngine } from './engine-metrics.js';
import { type Placement, placeModel, prepareEngine, requireImageRoom } from './engine-setup.js';
import { checkMemory } from './memory.js';
import { WaveHistory } from './operator/api/wave-history.js';

/** Verifying and checking a file of this size takes long enough for a notice. */
const ANNOUNCED_BYTES_MIN = 1e9;

/** ggml.h, enum ggml_log_level. */
const LLAMA_LOG_LEVELS = { warn: 3, error: 4 };

/** The models of this process. `open` reads the manifest and chooses the backend; `load` does what takes time. */
export class Engines {
  readonly catalog: Catalog;
  /** How each loaded build reads images, by build id. */
  readonly images = new Map<string, ImageReading | null>();
  /** Of all lanes, for the operator. */
  readonly waves = new WaveHistory();
  /** For the main thread. */
  readonly countMemory: CountMemory;
  private readonly threads: EngineThread[] = [];
  private readonly loaded = new Map<string, Engine>();
  /** Release the weights. */
  private readonly releases: Array<() => void> = [];
  private reportStuck: (reason: string) => void = () => {};
  private isStuck = false;
  /** Resolves, with the reason, when a thread will never work again: the process has to be restarted. */
  readonly stuck = new Promise<string>((resolve) => {
    this.reportStuck = (reason) => {
      this.isStuck = true;
      resolve(reason);
    };
  });

  private constructor(
    /** As read at the start: threads that start later must not see another. */
    readonly manifest: Manifest,
    models: string,
    private readonly settings: Settings['engine'],
    private readonly prepared: ReturnType<typeof prepareEngine>,
    private readonly dependencies: ServerDependencies,
    private readonly metrics: Metrics,
  ) {
    for (const thread of ['engine', 'prepare']) metrics.instruments.threadsReplaced.inc({ thread }, 0);
    this.catalog = new Catalog(manifest, models);
    this.countMemory = memoryCounter(prepared.addon);
  }

  /** `narrow`: leaves out models that are not needed. Throws BackendError or ModelError. */
  static async open(
    { models, engine }: Pick<Settings, 'models' | 'engine'>,
    dependencies: ServerDependencies,
    metrics: Metrics,
    narrow: (manifest: Manifest) => Manifest = (manifest) => manifest,
  ): Promise<Engines> {
    const manifest = narrow(await readManifest(models));
    const prepared = prepareEngine(engine, (sentence) => dependencies.report.notice(sentence));
    return new Engines(manifest, models, engine, prepared, dependencies, metrics);
  }

  get backend() {
    return this.prepared.backend;
  }

  /** The first device of models that name none; '' for the CPU. */
  get device(): string {
    return this.prepared.device;
  }

  /** All devices that compute. */
  get devices(): readonly string[] {
    return [...new Set(this.catalog.builds.flatMap((build) => this.devicesOf(build)))];
  }

  /** The devices that compute for a build. */
  devicesOf({ model }: CatalogBuild): readonly string[] {
    return devicesOf(model, this.prepared.devices);
  }

  /** The memory of RAM and of the devices that compute, as it is now. */
  memory(): MemorySpace[] {
    const spaces = memorySpaces(listDevices(this.prepared), false);
    return spaces.filter(({ device }) => device === '' || this.devices.includes(device));
  }

  /** The device of a lane; '' for the CPU. Lanes are numbered from 1. */
  deviceOf(lane: number): string {
    return this.threads[lane - 1]?.device ?? '';
  }

  /** The engine of a build; undefined until it is loaded. */
  get(build: string): Engine | undefined {
    return this.loaded.get(build);
  }

  /** The engine threads, for tests that terminate them. */
  get workers() {
    return this.threads.flatMap(({ worker }) => worker ?? []);
  }

  /**
   * Estimates the memory of all models of the manifest; then verifies each, checks it in a separate process, loads it and
   * computes its first waves. Throws MemoryError, ModelError, or the reason of the stop signal; then call `close`.
   *
   * @param record of what the engine threads compute; absent: none
   */
  async load(record?: WaveRecord): Promise<void> {
    if (record !== undefined) this.prepared.addon.recordAborts(record.abortFile);
    const { stop, log } = this.dependencies;
    // Only while loading: once the server runs, a stop lets waves finish.
    const onStop = () => this.cancel();
    stop.addEventListener('abort', onStop);
    try {
      const unmeasured = await this.requireMemory();
      for (const build of this.catalog.builds) {
        this.loaded.set(build.id, await this.loadBuild(build, unmeasured.get(build.id), record));
      }
      stop.throwIfAborted();
      this.requireReserve();
      // Not earlier: if a model does not load, its error says why.
      this.prepared.addon.onLog((level, text) => logLine(log, level, text));
    } finally {
      stop.removeEventListener('abort', onStop);
    }
  }

  /** Throws MemoryError if the models do not fit. Returns, by build id, why some could not be measured. */
  private async requireMemory(): Promise<ReadonlyMap<string, string>> {
    const { stop } = this.dependencies;
    const { builds } = this.settings.memory_check
      ? await checkMemory(this.settings, this.prepared, this.catalog.builds, { stop })
      : { builds: [] };
    return new Map(builds.flatMap(({ build, failure }) => (failure === null ? [] : [[build, failure]])));
  }

  /** Throws MemoryError if a GPU has too little memory left after the first waves. */
  private requireReserve(): void {
    if (!this.settings.memory_check) return;
    const { bounds, contexts } = this.prepared;
    requireReserve(this.memory(), this.devices, { ...bounds, contexts });
  }

  /** Aborts the waves in progress. */
  cancel(): void {
    for (const thread of this.threads) thread.cancel();
  }

  /** Ends the process at once, also if a thread cannot be ended. */
  exit(status: number): never {
    return this.prepared.addon.exit(status);
  }

  async close(): Promise<void> {
    for (const engine of this.loaded.values()) engine.close();
    // A stuck thread uses its weights, and would be waited for.
    if (this.isStuck) return;
    await Promise.all(this.threads.map((thread) => thread.close()));
    for (const release of this.releases.splice(0)) release();
  }

  private async loadBuild(
    build: CatalogBuild,
    unmeasured: string | undefined,
    record: WaveRecord | undefined,
  ): Promise<Engine> {
    const { report, clock, stop, log } = this.dependencies;
    const placement = placeModel(this.prepared, this.settings, build.model);
    requireImageRoom(build, placement.bounds);
    const bytes = bytesOf(build);
    if (bytes > ANNOUNCED_BYTES_MIN) {
      report.notice(`verifying and loading ${build.id}, ${(bytes / 1e9).toFixed(1)} GB`);
    }
    // Once it has returned, no thread reads the files any more.
    const { threads, head, images } = await loadVerified(build, stop, async (signal) => {
      const images = await this.check(build, unmeasured, signal);
      return { images, ...(await this.startThreads(build, images, placement, signal)) };
    });
    const engine = new Engine(threads, {
      bounds: placement.bounds,
      sharing: sharingOf(this.settings, head),
      queueMax: this.settings.queue,
      images,
      deadlineMs: this.settings.deadline_ms,
      clock,
      events: engineEvents(this.metrics, build.id, log, this.reportStuck, this.waves),
      ...(record && { record }),
      countMemory: this.countMemory,
    });
    measureEngine(this.metrics, build.id, engine);
    return engine;
  }

  /** Checks a build in a process of its own. Returns how it reads images. */
  private async check(
    build: CatalogBuild,
    unmeasured: string | undefined,
    signal: AbortSignal,
  ): Promise<ImageReading | null> {
    const { backend, checkThreads } = this.prepared;
    const task = { backend: cpuBackendFor(backend), device: '', build, threads: checkThreads };
    const { images } = await checkModel(task, signal);
    this.images.set(build.id, images);
    // Not earlier: the check refuses a damaged file. Not later: loading may end the process for the same reason.
    if (unmeasured !== undefined)
      this.dependencies.log.warn({ unmeasured }, 'the memory of a model could not be estimated');
    return images;
  }

  /** Starts the threads of a build, which load it on all its devices at the same time and compute its first waves. */
  private async startThreads(
    build: CatalogBuild,
    images: ImageReading | null,
    { devices, bounds, contexts, threads }: Placement,
    signal: AbortSignal,
  ): Promise<{ readonly threads: readonly EngineThread[]; readonly head: Int32Array }> {
    const setup = { backend: this.prepared.backend, build, images, bounds, threads };
    const loaded = new Map(devices.map((device) => [device, 0]));
    const onProgress = (device: string) => (fraction: number) => {
      loaded.set(device, fraction);
      const sum = [...loaded.values()].reduce((total, each) => total + each, 0);
      this.dependencies.report.progress(build, sum / devices.length);
    };
    const onReplace = () => this.metrics.instruments.threadsReplaced.inc({ thread: 'engine' });
    // Lanes are numbered from 1, whatever model they belong to.
    const first = this.threads.length + 1;
    const own = threadDevices(devices, contexts).map(
      (device, at) =>
        new EngineThread({ ...setup, device, number: first + at }, onProgress(device), onReplace),
    );
    this.threads.push(...own);
    const reports = await whenReady(own, signal);
    for (const device of devices) {
      this.releases.push(holdWeights(this.prepared.addon, device, build, threads));
    }
    return { threads: own, head: reports[0]?.head ?? new Int32Array(0) };
  }
}

/**
 * Waits until threads have loaded their model and computed its first waves. The signal and the first failure end that
 * for all of them. Throws ModelError.
 */
async function whenReady(threads: readonly EngineThread[], signal: AbortSignal) {
  const cancel = () => {
    for (const thread of threads) thread.cancel();
  };
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const reports = threads.map((thread) => thread.ready());
  try {
    return await Promise.all(reports);
  } catch (error) {
    cancel();
    await Promise.allSettled(reports);
    // An error loses its class between threads.
    throw new ModelError((error as Error).message);
  } finally {
    // Once the server runs, a stop lets waves finish.
    signal.removeEventListener('abort', cancel);
  }
}

/** Logs llama.cpp's warnings and errors; its other messages are a page per model. */
function logLine(log: Log, level: number, text: string): void {
  if (level === LLAMA_LOG_LEVELS.error) log.error({ llama: text.trim() });
  else if (level === LLAMA_LOG_LEVELS.warn) log.debug({ llama: text.trim() });
}

function sharingOf(settings: Settings['engine'], head: Int32Array): Sharing {
  if (settings.exact) return EXACT;
  return {
    head,
    idleCellsMax: settings.idle_cells,
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
}
