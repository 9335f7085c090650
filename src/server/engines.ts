import {
  type BackendChoice,
  Catalog,
  type CatalogBuild,
  chooseBackend,
  Engine,
  EnginePool,
  loadAddon,
  ModelError,
  readManifest,
  verifyChecksum,
  type WaveBounds,
} from '../engine/index.js';
import type { Settings } from './settings.js';

/** Tokens computed at once: llama.cpp's default on a CPU, a whole decode on a GPU. */
const MICRO_BATCH_TOKENS = { cpu: 512, gpu: 2_048 };
/** See WaveBounds.microBatchTokensMin. */
const MICRO_BATCH_TOKENS_MIN = { cpu: 64, gpu: 0 };

/** The models of this process, loaded and running. */
export interface Engines {
  readonly catalog: Catalog;
  readonly backend: ReturnType<typeof loadAddon>['backend'];
  /** '' for the CPU. */
  readonly device: string;
  get(build: string): Engine | undefined;
  /** Ends the waves under way. */
  cancel(): void;
  close(): Promise<void>;
}

/** What the start tells while it goes on. */
export interface StartReport {
  notice(sentence: string): void;
  progress(build: CatalogBuild, fraction: number): void;
}

/**
 * Chooses the backend, verifies every model of the manifest and loads it. Throws BackendError or ModelError,
 * with nothing left running.
 */
export async function startEngines(settings: Settings, report: StartReport): Promise<Engines> {
  const catalog = new Catalog(readManifest(settings.models), settings.models);
  const { backend, device, bounds } = prepareEngine(settings, report);
  const pools = new Map<string, EnginePool>();
  const close = async () => {
    await Promise.all([...pools.values()].map((pool) => pool.close()));
  };
  try {
    for (const build of catalog.builds) {
      await verifyChecksum(build);
      const setup = { backend, device, build, bounds, threads: settings['engine.threads'] };
      const pool = new EnginePool(setup, settings['engine.contexts'], (fraction) =>
        report.progress(build, fraction),
      );
      pools.set(build.id, pool);
      // An error loses its class on its way from a thread.
      await pool.ready().catch((error: Error) => {
        throw new ModelError(error.message);
      });
    }
  } catch (error) {
    await close();
    throw error;
  }
  const engines = new Map(
    [...pools].map(([id, pool]) => [id, new Engine(pool, bounds, settings['engine.queue'])]),
  );
  return {
    catalog,
    backend,
    device,
    get: (build) => engines.get(build),
    cancel: () => {
      for (const pool of pools.values()) pool.cancelAll();
    },
    close,
  };
}

/** The addon, the device and the bounds that the settings mean on this machine. Throws BackendError. */
export function prepareEngine(settings: Settings, report: Pick<StartReport, 'notice'>) {
  const decision = chooseBackend(settings['engine.backend'] as BackendChoice);
  if (decision.notice !== null) report.notice(decision.notice);
  const { backend, addon, devices } = loadAddon(decision.backend);
  const device = settings['engine.backend'] === 'cpu' ? '' : (devices.find(({ gpu }) => gpu)?.name ?? '');
  return { backend, addon, device, bounds: waveBounds(settings, device === '' ? 'cpu' : 'gpu') };
}

function waveBounds(settings: Settings, kind: 'cpu' | 'gpu'): WaveBounds {
  const batchTokens = settings['engine.batch_tokens'];
  return {
    cells: settings['engine.cells'],
    batchTokens,
    microBatchTokens: Math.min(batchTokens, MICRO_BATCH_TOKENS[kind]),
    microBatchTokensMin: MICRO_BATCH_TOKENS_MIN[kind],
    sequences: settings['engine.sequences'],
  };
}
