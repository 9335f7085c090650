import type { Clock } from '../base/index.js';
import {
  type BackendChoice,
  Catalog,
  type CatalogBuild,
  COUPLED_PRODUCT_MAX,
  chooseBackend,
  Engine,
  EngineThread,
  EXACT,
  loadAddon,
  ModelError,
  readManifest,
  type Sharing,
  verifyChecksum,
  type WaveBounds,
} from '../engine/index.js';
import type { Settings } from './settings.js';

/** What suits a kind of device where the settings say 0. */
const DERIVED = {
  /** A short wave keeps a CPU's answers prompt, and 64 tokens already run at 97 % of the speed of 512. */
  cpu: { waveTokens: 512, microBatchTokens: 512, microBatchTokensMin: 64, contexts: 1 },
  /** A GPU wants wide waves, and a second context that prepares one while the first computes. */
  gpu: { waveTokens: 2_048, microBatchTokens: 2_048, microBatchTokensMin: 0, contexts: 2 },
};

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
export async function startEngines(settings: Settings, report: StartReport, clock: Clock): Promise<Engines> {
  const catalog = new Catalog(readManifest(settings.models), settings.models);
  const { backend, device, bounds, contexts } = prepareEngine(settings, report);
  const threads: EngineThread[] = [];
  const engines = new Map<string, Engine>();
  const close = async () => {
    await Promise.all(threads.map((thread) => thread.close()));
  };
  try {
    for (const build of catalog.builds) {
      await verifyChecksum(build);
      const setup = { backend, device, build, bounds, threads: settings['engine.threads'] };
      const onProgress = (fraction: number) => report.progress(build, fraction);
      const own = Array.from({ length: contexts }, () => new EngineThread(setup, onProgress));
      threads.push(...own);
      // An error loses its class on its way from a thread.
      const introductions = await Promise.all(own.map((thread) => thread.introduce())).catch(
        (error: Error) => {
          throw new ModelError(error.message);
        },
      );
      const sharing = sharingOf(settings, introductions[0]?.head ?? new Int32Array(0));
      engines.set(
        build.id,
        new Engine(own, {
          bounds,
          sharing,
          queueMax: settings['engine.queue'],
          deadlineMs: settings['engine.deadline_ms'],
          clock,
        }),
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    catalog,
    backend,
    device,
    get: (build) => engines.get(build),
    cancel: () => {
      for (const thread of threads) thread.cancel();
    },
    close,
  };
}

function sharingOf(settings: Settings, head: Int32Array): Sharing {
  if (settings['engine.exact'] === 'true') return EXACT;
  return {
    head,
    idleCellsMax: settings['engine.idle_cells'],
    exact: false,
    coupledProductMax: COUPLED_PRODUCT_MAX,
  };
}

/** The addon, the device and the bounds that the settings mean on this machine. Throws BackendError. */
export function prepareEngine(settings: Settings, report: Pick<StartReport, 'notice'>) {
  const decision = chooseBackend(settings['engine.backend'] as BackendChoice);
  if (decision.notice !== null) report.notice(decision.notice);
  const { backend, addon, devices } = loadAddon(decision.backend);
  const device = settings['engine.backend'] === 'cpu' ? '' : (devices.find(({ gpu }) => gpu)?.name ?? '');
  const derived = DERIVED[device === '' ? 'cpu' : 'gpu'];
  return {
    backend,
    addon,
    device,
    bounds: waveBounds(settings, derived),
    contexts: settings['engine.contexts'] || derived.contexts,
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
