import { statSync } from 'node:fs';
import { IMAGE_BUDGETS } from '../api/index.js';
import type { Clock, Log, Metrics } from '../base/index.js';
import {
  type BackendChoice,
  Catalog,
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  type CountMemory,
  checkModel,
  chooseBackend,
  chooseDevices,
  cpuBeside,
  Engine,
  EngineThread,
  EXACT,
  holdWeights,
  type ImageReading,
  loadAddon,
  type Manifest,
  ModelError,
  memoryCounter,
  readManifest,
  requireUnchanged,
  type Sharing,
  threadDevices,
  verifyChecksum,
  type WaveBounds,
} from '../engine/index.js';
import { engineThreads } from './cores.js';
import { engineEvents, measureQueues } from './engine-metrics.js';
import type { Settings } from './settings.js';

/** What suits a kind of device where the settings say 0. */
const DERIVED = {
  /** A short wave keeps a CPU's answers prompt, and 64 tokens already run at 97 % of the speed of 512. */
  cpu: { waveTokens: 512, microBatchTokens: 512, microBatchTokensMin: 64, contexts: 1 },
  /** A GPU wants wide waves, and a second context that prepares one while the first computes. */
  gpu: { waveTokens: 2_048, microBatchTokens: 2_048, microBatchTokensMin: 0, contexts: 2 },
};

/** From this size on verifying and checking a file take long enough to be told. */
const ANNOUNCED_BYTES_MIN = 1e9;

/** ggml.h, enum ggml_log_level. */
const LLAMA_LOG_LEVELS = { warn: 3, error: 4 };

/** What the server is given from outside. */
export interface ServerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Lines of the log that were dropped, since the start. */
  readonly logLinesDropped?: () => number;
  readonly report: StartReport;
  /** Aborts where the operator wants an end while the server still starts. */
  readonly stop: AbortSignal;
  /** The certificate authorities that a webhook's receiver is known by, as PEM; those of Node where absent. */
  readonly authorities?: string;
}

/** What the start tells while it goes on. */
export interface StartReport {
  /** HTTP listens, and answers 503 until the models are loaded; they are when what this returns resolves. */
  listening?(url: string): void | Promise<void>;
  notice(sentence: string): void;
  /** The token of the key that the first start makes. It is nowhere else. */
  token(token: string): void;
  progress(build: CatalogBuild, fraction: number): void;
}

/**
 * The models of this process. Its making reads the manifest and chooses the backend; `load` does what takes time.
 * The constructor throws BackendError or ModelError.
 */
export class Engines {
  /** As it was at the start: threads that start later must not see another. */
  readonly manifest: Manifest;
  readonly catalog: Catalog;
  /** How each loaded build reads images, by its id. */
  readonly images = new Map<string, ImageReading | null>();
  /** For the main thread. */
  readonly countMemory: CountMemory;
  private readonly prepared: ReturnType<typeof prepareEngine>;
  private readonly threads: EngineThread[] = [];
  private readonly loaded = new Map<string, Engine>();
  /** Give the weights back. */
  private readonly releases: Array<() => void> = [];

  constructor(
    private readonly settings: Settings,
    private readonly dependencies: ServerDependencies,
    private readonly metrics: Metrics,
  ) {
    for (const thread of ['engine', 'prepare']) metrics.instruments.threadsReplaced.inc({ thread }, 0);
    this.manifest = readManifest(settings.models);
    this.catalog = new Catalog(this.manifest, settings.models);
    this.prepared = prepareEngine(settings, dependencies.report);
    this.countMemory = memoryCounter(this.prepared.addon);
  }

  get backend() {
    return this.prepared.backend;
  }

  /** The first device, whose weights others of this process may open without loading them; '' for the CPU. */
  get device(): string {
    return this.prepared.device;
  }

  /** All that compute. */
  get devices(): readonly string[] {
    return this.prepared.devices;
  }

  /** The engine of a build; undefined until it is loaded. */
  get(build: string): Engine | undefined {
    return this.loaded.get(build);
  }

  /** The threads that compute, for tests that end them. */
  get workers() {
    return this.threads.flatMap(({ worker }) => worker ?? []);
  }

  /** Verifies every model of the manifest, checks it in a process of its own and loads it. Throws ModelError, or the reason to stop; then `close`. */
  async load(): Promise<void> {
    const { stop, log } = this.dependencies;
    // Only while it loads: once it runs, waves are answered before the end.
    const onStop = () => this.cancel();
    stop.addEventListener('abort', onStop);
    try {
      for (const build of this.catalog.builds) this.loaded.set(build.id, await this.loadBuild(build));
      stop.throwIfAborted();
      // Not before: why a model does not load is in its error.
      this.prepared.addon.onLog((level, text) => logLine(log, level, text));
    } finally {
      stop.removeEventListener('abort', onStop);
    }
  }

  /** Ends the waves under way. */
  cancel(): void {
    for (const thread of this.threads) thread.cancel();
  }

  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
    for (const release of this.releases.splice(0)) release();
  }

  private async loadBuild(build: CatalogBuild): Promise<Engine> {
    const { report, clock, stop } = this.dependencies;
    const { backend, devices, bounds, contexts, threads } = this.prepared;
    requireImageRoom(build, bounds);
    const bytes = sizeOf(build.path);
    if (bytes > ANNOUNCED_BYTES_MIN) report.notice(`verifying ${build.id}, ${(bytes / 1e9).toFixed(1)} GB`);
    const files = await verifyChecksum(build, stop);
    if (bytes > ANNOUNCED_BYTES_MIN) report.notice(`checking ${build.id}`);
    const { images } = await checkModel({ backend: cpuBeside(backend), device: '', build, threads }, stop);
    this.images.set(build.id, images);
    const setup = { backend, build, images, bounds, threads };
    const onProgress = (fraction: number) => report.progress(build, fraction);
    const onReplace = () => this.metrics.instruments.threadsReplaced.inc({ thread: 'engine' });
    const own = threadDevices(devices, contexts).map(
      (device) => new EngineThread({ ...setup, device }, onProgress, onReplace),
    );
    this.threads.push(...own);
    // An error loses its class on its way from a thread.
    const introductions = await Promise.all(own.map((thread) => thread.introduce())).catch((error: Error) => {
      throw new ModelError(error.message);
    });
    for (const device of devices) {
      this.releases.push(holdWeights(this.prepared.addon, device, build, threads));
    }
    // From here on no thread reads the files again.
    for (const file of files) requireUnchanged(file);
    const engine = new Engine(own, {
      bounds,
      sharing: sharingOf(this.settings, introductions[0]?.head ?? new Int32Array(0)),
      queueMax: this.settings['engine.queue'],
      images,
      deadlineMs: this.settings['engine.deadline_ms'],
      clock,
      events: engineEvents(this.metrics, build.id),
      countMemory: this.countMemory,
    });
    measureQueues(this.metrics, build.id, engine);
    return engine;
  }
}

/** An image is never cut: llama.cpp ends the process where one does not fit in what is computed at once. */
export function requireImageRoom(
  { id, projector }: CatalogBuild,
  { waveTokens, microBatchTokens }: WaveBounds,
): void {
  const most = Math.max(...IMAGE_BUDGETS);
  if (projector === null || Math.min(waveTokens, microBatchTokens) >= most) return;
  throw new ModelError(
    `${id} reads images of up to ${most} tokens, so engine.wave_tokens must be at least that.`,
  );
}

/** 0 where the file cannot be found, or not under such a name: the read that follows fails with the reason. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** llama.cpp's warnings and errors; the rest of what it says is a page per model. */
function logLine(log: Log, level: number, text: string): void {
  if (level === LLAMA_LOG_LEVELS.error) log.error({ llama: text.trim() });
  else if (level === LLAMA_LOG_LEVELS.warn) log.debug({ llama: text.trim() });
}

function sharingOf(settings: Settings, head: Int32Array): Sharing {
  if (settings['engine.exact']) return EXACT;
  return {
    head,
    idleCellsMax: settings['engine.idle_cells'],
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
}

/** The addon, the devices and the bounds that the settings mean on this machine. Throws BackendError. */
export function prepareEngine(settings: Settings, report: Pick<StartReport, 'notice'>) {
  const decision = chooseBackend(settings['engine.backend'] as BackendChoice);
  if (decision.notice !== null) report.notice(decision.notice);
  const { backend, addon, devices: found } = loadAddon(decision.backend);
  const gpus = chooseDevices(settings['engine.backend'] === 'cpu' ? [] : found, settings['engine.devices']);
  const devices = gpus.length === 0 ? [''] : gpus;
  const [device = ''] = devices;
  const derived = DERIVED[device === '' ? 'cpu' : 'gpu'];
  const contexts = settings['engine.contexts'] || derived.contexts;
  const computing = device === '' ? contexts : 1;
  return {
    backend,
    addon,
    device,
    devices,
    bounds: waveBounds(settings, derived),
    /** Of each device. */
    contexts,
    /** Of each context. */
    threads: engineThreads(settings['engine.threads'], computing, (sentence) => report.notice(sentence)),
  };
}

function waveBounds(settings: Settings, derived: (typeof DERIVED)[keyof typeof DERIVED]): WaveBounds {
  const waveTokens = settings['engine.wave_tokens'] || derived.waveTokens;
  return {
    cells: settings['engine.cells'],
    waveTokens,
    microBatchTokens: Math.max(Math.min(waveTokens, derived.microBatchTokens), derived.microBatchTokensMin),
    microBatchTokensMin: derived.microBatchTokensMin,
    sequences: settings['engine.sequences'],
  };
}
