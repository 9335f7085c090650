import {
  bytesOf,
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  type CountMemory,
  checkModel,
  cpuBackendFor,
  Engine,
  EngineThread,
  EXACT,
  holdWeights,
  loadVerified,
  ModelError,
  type ModelFacts,
  type Sharing,
  settingsOf,
  threadDevices,
  type WaveRecord,
} from '../../engine/index.js';
import type { Settings } from '../../settings/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { engineEvents } from '../engine-metrics.js';
import { type Placement, placeModel, type prepareEngine, requireImageRoom } from '../engine-setup.js';
import type { WaveHistory } from '../operator/api/wave-history.js';
import type { ServerDependencies } from '../server-dependencies.js';
import { LoadedBuild } from './loaded-build.js';

/** Verifying and checking a file of this size takes long enough for a notice. */
const ANNOUNCED_BYTES_MIN = 1e9;
const BYTES_PER_MB = 2 ** 20;
const SLOW_LABELS =
  'the template of a model takes too long for questions of many options, so that a question may have at most 26; if the host was busy, restart the server';

/** The settings of requests that a reload can change. */
export type RequestLimits = Pick<Settings['engine'], 'queue' | 'deadline_ms' | 'answer_cache_mb'>;

interface Parts {
  readonly settings: Settings['engine'];
  /** The limits of requests, which may change. */
  limits(): RequestLimits;
  readonly prepared: ReturnType<typeof prepareEngine>;
  readonly dependencies: ServerDependencies;
  readonly metrics: Metrics;
  readonly waves: WaveHistory;
  readonly countMemory: CountMemory;
  /** Called when a thread will never work again. */
  onStuck(reason: string): void;
}

/** How one build is loaded. */
interface Loading {
  /** Why the memory estimate failed; undefined if it succeeded or was not made. */
  readonly unmeasured: string | undefined;
  /** Records what the engine threads compute; absent: nothing is recorded. */
  readonly record: WaveRecord | undefined;
  /** Ends the loading. */
  readonly signal: AbortSignal;
}

/** What the check of a build finds. */
type Found = Pick<ModelFacts, 'images' | 'verified' | 'joiners' | 'trainedContextLength' | 'logits'>;

/** Loads builds, and knows the engine threads of all that are loaded or being loaded. */
export class BuildLoader {
  private readonly running = new Set<EngineThread>();

  constructor(private readonly parts: Parts) {}

  get threads(): readonly EngineThread[] {
    return [...this.running];
  }

  /**
   * Verifies the files of a build, checks it in a separate process, loads it and computes its first waves. Rejects with
   * ModelError or the signal's reason, with nothing of it left in memory.
   */
  async load(build: CatalogBuild, { unmeasured, record, signal }: Loading): Promise<LoadedBuild> {
    const { settings, limits, prepared, dependencies, metrics, waves, countMemory, onStuck } = this.parts;
    const { report, clock, log } = dependencies;
    const placement = placeModel(prepared, settings, build.model);
    requireImageRoom(build, placement.bounds);
    const bytes = bytesOf(build);
    if (bytes > ANNOUNCED_BYTES_MIN) {
      report.notice(`verifying and loading ${build.id}, ${(bytes / 1e9).toFixed(1)} GB`);
    }
    const threads: EngineThread[] = [];
    const releases: Array<() => void> = [];
    try {
      // Once it has returned, no thread reads the files any more.
      const { head, ...found } = await loadVerified(build, signal, async (ending) => {
        const found = await this.check(build, unmeasured, ending);
        threads.push(...this.startThreads(build, found, placement));
        const reports = await whenReady(threads, ending);
        for (const device of placement.devices)
          releases.push(holdWeights(prepared.addon, device, build, placement.threads));
        return { head: reports[0]?.head ?? new Int32Array(0), ...found };
      });
      const engine = new Engine(threads, {
        bounds: placement.bounds,
        sharing: sharingOf(settings, head),
        // Read at each use: a reload can change them.
        get queueMax() {
          return limits().queue;
        },
        get deadlineMs() {
          return limits().deadline_ms;
        },
        get answerBytesMax() {
          return limits().answer_cache_mb * BYTES_PER_MB;
        },
        images: found.images,
        ...shareBesideLive(build),
        clock,
        events: engineEvents(metrics, build.id, log, onStuck, waves),
        ...(record && { record }),
        countMemory,
      });
      const { images, verified, joiners, trainedContextLength } = found;
      const contextTokensMax = Math.min(trainedContextLength, settingsOf(build.model, settings).cells);
      return new LoadedBuild({
        build,
        engine,
        images,
        verified,
        joiners,
        contextTokensMax,
        threads,
        releases,
      });
    } catch (error) {
      await this.closeThreads(threads);
      for (const release of releases) release();
      throw error;
    }
  }

  /** Frees a build that nothing uses any more. */
  async unload(build: LoadedBuild): Promise<void> {
    await build.close();
    for (const thread of build.threads) this.running.delete(thread);
  }

  private async closeThreads(threads: readonly EngineThread[]): Promise<void> {
    // The failure of the build is reported, even if a thread cannot be ended.
    await Promise.allSettled(threads.map((thread) => thread.close()));
    for (const thread of threads) this.running.delete(thread);
  }

  /** Checks a build in a process of its own. Returns what its threads need not find again. */
  private async check(
    build: CatalogBuild,
    unmeasured: string | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    const { prepared, dependencies } = this.parts;
    const { backend, checkThreads } = prepared;
    const task = { backend: cpuBackendFor(backend), device: '', build, threads: checkThreads };
    const check = dependencies.checkModel ?? checkModel;
    const { images, verified, joiners, trainedContextLength, logits } = await check(task, signal);
    // Not earlier: the check refuses a damaged file. Not later: loading may end the process for the same reason.
    if (unmeasured !== undefined)
      dependencies.log.warn({ unmeasured }, 'the memory of a model could not be estimated');
    const { labels } = verified;
    if (labels.isSlow) dependencies.log.warn({ model: build.id, reason: labels.lettersOnly }, SLOW_LABELS);
    return { images, verified, joiners, trainedContextLength, logits };
  }

  /** Starts the threads of a build, which load it on all its devices at the same time and compute its first waves. */
  private startThreads(
    build: CatalogBuild,
    { images, verified, logits: firstLogits }: Found,
    { devices, bounds, contexts, threads }: Placement,
  ): EngineThread[] {
    const { prepared, dependencies, metrics } = this.parts;
    const setup = { backend: prepared.backend, build, images, verified, firstLogits, bounds, threads };
    const loaded = new Map(devices.map((device) => [device, 0]));
    const onProgress = (device: string) => (fraction: number) => {
      loaded.set(device, fraction);
      const sum = [...loaded.values()].reduce((total, each) => total + each, 0);
      dependencies.report.progress(build, sum / devices.length);
    };
    const onReplace = () => metrics.instruments.threadsReplaced.inc({ thread: 'engine' });
    return threadDevices(devices, contexts).map((device) => {
      const number = this.freeNumber();
      const thread = new EngineThread({ ...setup, device, number }, onProgress(device), onReplace);
      this.running.add(thread);
      return thread;
    });
  }

  /** Lanes are numbered from 1, whatever model they belong to. The numbers of unloaded builds are used again. */
  private freeNumber(): number {
    const taken = new Set(this.threads.map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
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

/** The share of batches that the manifest gives a model. */
function shareBesideLive({ model }: CatalogBuild): { shareBesideLive?: number } {
  const percent = model.engine?.batch_percent;
  return percent === undefined ? {} : { shareBesideLive: percent / 100 };
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
