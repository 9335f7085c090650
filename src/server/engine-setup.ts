import { IMAGE_BUDGETS } from '../api/index.js';
import {
  type CatalogBuild,
  chooseBackend,
  chooseDevices,
  deriveSizes,
  devicesOf,
  loadAddon,
  type ManifestModel,
  ModelError,
  settingsOf,
  type WaveBounds,
} from '../engine/index.js';
import { engineThreads, type Settings } from '../settings/index.js';

/**
 * Resolves the engine settings on this machine: the addon, the devices and the bounds of a wave. `notice` receives
 * sentences for the operator. Throws BackendError.
 */
export function prepareEngine(settings: Settings['engine'], notice: (sentence: string) => void) {
  const decision = chooseBackend(settings.backend);
  if (decision.notice !== null) notice(decision.notice);
  const { backend, addon, devices: found } = loadAddon(decision.backend);
  const usable = settings.backend === 'cpu' ? [] : found;
  const gpus = chooseDevices(usable, settings.devices);
  const devices = gpus.length === 0 ? [''] : gpus;
  const [device = ''] = devices;
  const { bounds, contexts } = deriveSizes(settings, device);
  return {
    backend,
    addon,
    /** The first device; '' for the CPU. */
    device,
    devices,
    /** All devices that the backend finds. */
    found,
    /** Those of them that models may name. */
    usable,
    bounds,
    /** Per device. */
    contexts,
    /** Per context. */
    threads: engineThreads(settings.threads, { gpu: device !== '', count: contexts }, notice),
    /** Threads of a check on the CPU, when nothing else computes. */
    checkThreads: engineThreads(settings.threads, { gpu: false, count: 1 }, () => {}),
  };
}

type Prepared = ReturnType<typeof prepareEngine>;

/** The devices of a model. Throws BackendError if the manifest names one that does not exist. */
export function modelDevices({ usable, devices }: Prepared, model: ManifestModel): readonly string[] {
  const { id, engine } = model;
  if (engine?.devices !== undefined)
    chooseDevices(usable, engine.devices, `The manifest, ${id}: engine.devices`);
  return devicesOf(model, devices);
}

/**
 * Throws BackendError if the manifest names a device that does not exist, and ModelError if the settings leave a model no
 * room for images.
 */
export function requirePlaces(
  prepared: Prepared,
  settings: Settings['engine'],
  builds: readonly CatalogBuild[],
): void {
  for (const build of builds) requireImageRoom(build, placeModel(prepared, settings, build.model).bounds);
}

/** Tokens of text around an image, at least. */
const IMAGE_TEXT_TOKENS = 2;

/** Where a model computes, and how large its contexts are. */
export interface Placement {
  readonly devices: readonly string[];
  readonly bounds: WaveBounds;
  /** Per device. */
  readonly contexts: number;
  /** Per context. */
  readonly threads: number;
}

/** Throws BackendError if the manifest names a device that does not exist. */
export function placeModel(
  prepared: Prepared,
  settings: Settings['engine'],
  model: ManifestModel,
): Placement {
  const devices = modelDevices(prepared, model);
  const [device = ''] = devices;
  const { bounds, contexts } = deriveSizes(settingsOf(model, settings), device);
  // `prepareEngine` has given the notice.
  const set = model.engine?.threads ?? settings.threads;
  const threads = engineThreads(set, { gpu: device !== '', count: contexts }, () => {});
  return { devices, bounds, contexts, threads };
}

/**
 * Images are never cut: llama.cpp ends the process if one does not fit into a micro-batch or, with the text around it,
 * into the cells. Throws ModelError.
 */
export function requireImageRoom(
  { id, projector }: CatalogBuild,
  { cells, waveTokens, microBatchTokens }: WaveBounds,
): void {
  const most = Math.max(...IMAGE_BUDGETS);
  if (projector === null) return;
  const sizes = [
    { setting: 'engine.cells', size: cells, least: most + IMAGE_TEXT_TOKENS },
    { setting: 'engine.wave_tokens', size: Math.min(waveTokens, microBatchTokens), least: most },
  ];
  const low = sizes.find(({ size, least }) => size < least);
  if (low === undefined) return;
  throw new ModelError(
    `${id} reads images of up to ${most} tokens. Set ${low.setting} to at least ${low.least}.`,
  );
}
