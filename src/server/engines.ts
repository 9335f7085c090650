import type { Price } from '../access/index.js';
import type { ApiError } from '../api/index.js';
import {
  type Catalog,
  type CatalogBuild,
  type CountMemory,
  devicesOf,
  type Engine,
  type Manifest,
  type MemorySpace,
  memoryCounter,
  memorySpaces,
  readManifest,
  requireReserve,
  TOKEN_CACHE_BYTES_MAX,
  type WaveRecord,
} from '../engine/index.js';
import type { Settings } from '../settings/index.js';
import type { Log, Metrics } from '../telemetry/index.js';
import { measureEngines } from './engine-metrics.js';
import { prepareEngine, requirePlaces } from './engine-setup.js';
import { checkMemory } from './memory.js';
import { BuildLoader, type RequestLimits } from './models/build-loader.js';
import type { LoadedBuild } from './models/loaded-build.js';
import { ModelSet } from './models/model-set.js';
import { WaveHistory } from './operator/api/wave-history.js';
import { PreparePool } from './prepare-pool.js';
import type { ServerDependencies } from './server-dependencies.js';

/** ggml.h, enum ggml_log_level. */
const LLAMA_LOG_LEVELS = { warn: 3, error: 4 };

type EnginesSettings = Pick<Settings, 'models' | 'engine' | 'prepare'>;

/**
 * The models of this process. `open` reads the manifest and chooses the backend; `load` does what takes time. While the
 * server runs, `nextSet`, `loadMissing`, `startPreparing` and `replace` exchange them for those of another manifest.
 */
export class Engines {
  /** The waves of all lanes, for the operator. */
  readonly waves = new WaveHistory();
  /** For the main thread. */
  readonly countMemory: CountMemory;
  private readonly loader: BuildLoader;
  /** All builds that are loaded. */
  private readonly loaded = new Set<LoadedBuild>();
  /** Sets that were replaced and are still used by requests. */
  private readonly retired = new Set<ModelSet>();
  private record: WaveRecord | undefined;
  private limits: RequestLimits;
  private resolveStuck: (reason: string) => void = () => {};
  private stuckBy: string | null = null;
  /** Whether all waves were aborted: what llama.cpp logs of that is no failure. */
  private isCancelled = false;
  /** Resolves, with the reason, when a thread will never work again: the process has to be restarted. */
  readonly stuck = new Promise<string>((resolve) => {
    this.resolveStuck = resolve;
  });

  private constructor(
    private set: ModelSet,
    private readonly settings: EnginesSettings,
    private readonly prepared: ReturnType<typeof prepareEngine>,
    private readonly dependencies: ServerDependencies,
    private readonly metrics: Metrics,
  ) {
    for (const thread of ['engine', 'prepare']) metrics.instruments.threadsReplaced.inc({ thread }, 0);
    for (const outcome of ['hit', 'miss']) metrics.instruments.promptTexts.inc({ outcome }, 0);
    this.limits = settings.engine;
    this.countMemory = memoryCounter(prepared.addon);
    this.loader = new BuildLoader({
      settings: settings.engine,
      limits: () => this.limits,
      prepared,
      dependencies,
      metrics,
      waves: this.waves,
      countMemory: this.countMemory,
      onStuck: (reason) => this.reportStuck(reason),
    });
    metrics.beforeScrape(() => measureEngines(metrics, this.loaded));
  }

  /** `narrow`: leaves out models that are not needed. Throws BackendError or ModelError. */
  static async open(
    settings: EnginesSettings,
    dependencies: ServerDependencies,
    metrics: Metrics,
    narrow: (manifest: Manifest) => Manifest = (manifest) => manifest,
  ): Promise<Engines> {
    const { models, engine } = settings;
    const set = new ModelSet(narrow(await readManifest(models)), models);
    const prepared = prepareEngine(engine, (sentence) => dependencies.report.notice(sentence));
    requirePlaces(prepared, engine, set.catalog.builds);
    return new Engines(set, settings, prepared, dependencies, metrics);
  }

  /** The models that new requests use. */
  get current(): ModelSet {
    return this.set;
  }

  /** The catalog of the models that new requests use. */
  get catalog(): Catalog {
    return this.set.catalog;
  }

  get backend() {
    return this.prepared.backend;
  }

  /** Why a thread will never work again; null: all may. */
  get stuckReason(): string | null {
    return this.stuckBy;
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
    return memorySpaces(this.prepared.addon, this.devices, false);
  }

  /** The device of a lane; '' for the CPU. Lanes are numbered from 1. */
  deviceOf(lane: number): string {
    return this.loader.threads.find(({ number }) => number === lane)?.device ?? '';
  }

  /** The engine of a build in a set; undefined if it is not loaded. */
  get(build: string, set: ModelSet = this.set): Engine | undefined {
    return set.engine(build);
  }

  /** The price of a build of a set, at the prices of now. */
  priceOf(build: string, set: ModelSet = this.set): Price {
    return (this.set.prices.get(build) ?? set.prices.get(build)) as Price;
  }

  /** Builds that answer the last requests of a manifest that was replaced. */
  get draining(): readonly LoadedBuild[] {
    const replaced = new Set([...this.retired].flatMap((set) => set.own(this.set)));
    return [...this.loaded].filter((build) => replaced.has(build));
  }

  /** The engine threads, for tests that terminate them. */
  get workers() {
    return this.loader.threads.flatMap(({ worker }) => worker ?? []);
  }

  /**
   * Estimates the memory of all models of the manifest; then verifies each, checks it in a separate process, loads it and
   * computes its first waves. Throws MemoryError, ModelError, or the reason of the stop signal; then call `close`.
   *
   * @param record of what the engine threads compute; absent: none
   */
  async load(record?: WaveRecord): Promise<void> {
    if (record !== undefined) this.prepared.addon.recordAborts(record.abortFile);
    this.record = record;
    const { stop, log } = this.dependencies;
    await this.loadMissing(this.set, stop);
    stop.throwIfAborted();
    // Not earlier: if a model does not load, its error says why.
    this.prepared.addon.onLog((level, text) => {
      if (!this.isCancelled) logLine(log, level, text);
    });
  }

  /** Starts the preparing threads of a set whose builds are loaded. Rejects with the first thread's error. */
  async startPreparing(set: ModelSet = this.set): Promise<void> {
    const { models, engine, prepare } = this.settings;
    const { backend, device } = this.prepared;
    const { promptTexts } = this.metrics.instruments;
    const builds = [...set.builds.values()];
    const images = new Map(builds.map((build) => [build.id, build.images]));
    const verified = new Map(builds.map((build) => [build.id, build.verified]));
    const joiners = new Map(builds.map((build) => [build.id, build.joiners]));
    const pool = new PreparePool(
      {
        backend,
        device,
        manifest: set.manifest,
        models,
        images,
        verified,
        joiners,
        cells: engine.cells,
        tokenCacheBytes: TOKEN_CACHE_BYTES_MAX,
      },
      {
        threads: prepare.threads,
        readsImages: set.catalog.builds.some(({ model }) => model.reads_images),
        onReplace: () => this.metrics.instruments.threadsReplaced.inc({ thread: 'prepare' }),
        countMemory: this.countMemory,
        onTexts: ({ hits, misses }) => {
          promptTexts.inc({ outcome: 'hit' }, hits);
          promptTexts.inc({ outcome: 'miss' }, misses);
        },
      },
    );
    set.preparing = pool;
    await pool.ready();
  }

  /** The set of another manifest. Builds that it has in common with the current one are shared, the others not loaded. */
  nextSet(manifest: Manifest): ModelSet {
    const next = new ModelSet(manifest, this.settings.models);
    for (const entry of next.catalog.builds) {
      const build = this.set.builds.get(entry.id);
      if (build?.serves(entry)) next.builds.set(entry.id, build);
    }
    return next;
  }

  /**
   * Loads the builds of a set that are not loaded, beside those that are. Throws MemoryError, ModelError, BackendError or
   * the signal's reason; then call `discard`.
   */
  async loadMissing(set: ModelSet, signal: AbortSignal): Promise<void> {
    const missing = set.catalog.builds.filter(({ id }) => !set.builds.has(id));
    if (missing.length === 0) return;
    const unmeasured = await this.requireMemory(missing, signal);
    for (const entry of missing) {
      const build = await this.loader.load(entry, {
        unmeasured: unmeasured.get(entry.id),
        record: this.record,
        signal,
      });
      this.loaded.add(build);
      set.builds.set(entry.id, build);
    }
    this.requireReserve(set);
  }

  /** Uses the limits of requests of other settings from now on. */
  useLimits({ engine }: Pick<Settings, 'engine'>): void {
    this.limits = engine;
    for (const build of this.loaded) build.engine.shrinkAnswers();
  }

  /** New requests use `next` from now on. Returns the set that was replaced; then call `retire`. */
  replace(next: ModelSet): ModelSet {
    const before = this.set;
    this.set = next;
    this.retired.add(before);
    return before;
  }

  /** Frees what only a replaced set uses. Call it once nothing uses the set, or to cut its requests off. */
  async retire(set: ModelSet): Promise<void> {
    set.cutOff(this.set);
    await this.discard(set);
    this.retired.delete(set);
  }

  /** Frees what only a set uses that is not the current one. */
  async discard(set: ModelSet): Promise<void> {
    await set.closePreparing();
    await Promise.all(set.own(this.set).map((build) => this.unload(build)));
  }

  /** Reports a thread that will never work again: `stuck` resolves, and `close` does not wait for it. */
  reportStuck(reason: string): void {
    this.stuckBy ??= reason;
    this.resolveStuck(reason);
  }

  /** Rejects every request that is not answered, and every one from now on. */
  abandon(reason: ApiError): void {
    for (const set of [this.set, ...this.retired]) set.refuse(reason);
    for (const { engine } of this.loaded) engine.abandon(reason);
  }

  /** Aborts the waves in progress. */
  cancel(): void {
    this.isCancelled = true;
    for (const thread of this.loader.threads) thread.cancel();
  }

  /** Ends the process at once, also if a thread cannot be ended. */
  exit(status: number): never {
    return this.prepared.addon.exit(status);
  }

  async close(): Promise<void> {
    for (const { engine } of this.loaded) engine.close();
    await Promise.all([this.set, ...this.retired].map((set) => set.closePreparing()));
    // A stuck thread uses its weights, and would be waited for.
    if (this.stuckBy !== null) return;
    await Promise.all([...this.loaded].map((build) => this.unload(build)));
  }

  private async unload(build: LoadedBuild): Promise<void> {
    await this.loader.unload(build);
    this.loaded.delete(build);
    const isGone = [...this.loaded].every(({ id }) => id !== build.id);
    if (isGone) await this.metrics.forget({ model: build.id });
  }

  /** Throws MemoryError if the models do not fit. Returns, by build id, why some could not be measured. */
  private async requireMemory(
    missing: readonly CatalogBuild[],
    stop: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const { engine } = this.settings;
    const { builds } = engine.memory_check
      ? await checkMemory(engine, this.prepared, missing, { stop })
      : { builds: [] };
    return new Map(builds.flatMap(({ build, failure }) => (failure === null ? [] : [[build, failure]])));
  }

  /** Throws MemoryError if a GPU has too little memory left after the first waves. */
  private requireReserve({ catalog }: ModelSet): void {
    if (!this.settings.engine.memory_check) return;
    const { addon, backend, bounds, contexts } = this.prepared;
    const devices = [...new Set(catalog.builds.flatMap((build) => this.devicesOf(build)))];
    requireReserve(memorySpaces(addon, devices, false), backend, { ...bounds, contexts });
  }
}

/** Logs llama.cpp's warnings and errors; its other messages are a page per model. */
function logLine(log: Log, level: number, text: string): void {
  if (level === LLAMA_LOG_LEVELS.error) log.error({ llama: text.trim() });
  else if (level === LLAMA_LOG_LEVELS.warn) log.debug({ llama: text.trim() });
}
