import { IMAGE_BUDGETS } from '../api/index.js';
import {
  type CatalogBuild,
  chooseBackend,
  chooseDevices,
  loadAddon,
  ModelError,
  type WaveBounds,
} from '../engine/index.js';
import { engineThreads, type Settings } from '../settings/index.js';

/** Defaults by kind of device, for settings that are 0. */
const DERIVED = {
  /** Short waves keep a CPU's answers prompt; 64 tokens already run at 97 % of the speed of 512. */
  cpu: { waveTokens: 512, microBatchTokens: 512, microBatchTokensMin: 64, contexts: 1 },
  /** A GPU needs wide waves, and a second context that prepares one while the first computes. */
  gpu: { waveTokens: 2_048, microBatchTokens: 2_048, microBatchTokensMin: 0, contexts: 2 },
};

/**
 * Resolves the engine settings on this machine: the addon, the devices and the bounds of a wave. `notice` receives
 * sentences for the operator. Throws BackendError.
 */
export function prepareEngine(settings: Settings['engine'], notice: (sentence: string) => void) {
  const decision = chooseBackend(settings.backend);
  if (decision.notice !== null) notice(decision.notice);
  const { backend, addon, devices: found } = loadAddon(decision.backend);
  const gpus = chooseDevices(settings.backend === 'cpu' ? [] : found, settings.devices);
  const devices = gpus.length === 0 ? [''] : gpus;
  const [device = ''] = devices;
  const derived = DERIVED[device === '' ? 'cpu' : 'gpu'];
  const contexts = settings.contexts || derived.contexts;
  const computing = device === '' ? contexts : 1;
  return {
    backend,
    addon,
    /** The first device; '' for the CPU. */
    device,
    devices,
    bounds: waveBounds(settings, derived),
    /** Per device. */
    contexts,
    /** Per context. */
    threads: engineThreads(settings.threads, computing, notice),
  };
}

function waveBounds(
  settings: Settings['engine'],
  derived: (typeof DERIVED)[keyof typeof DERIVED],
): WaveBounds {
  const waveTokens = settings.wave_tokens || derived.waveTokens;
  return {
    cells: settings.cells,
    waveTokens,
    microBatchTokens: Math.max(Math.min(waveTokens, derived.microBatchTokens), derived.microBatchTokensMin),
    microBatchTokensMin: derived.microBatchTokensMin,
    sequences: settings.sequences,
  };
}

/** Images are never cut: llama.cpp ends the process if one does not fit into a micro-batch. Throws ModelError. */
export function requireImageRoom(
  { id, projector }: CatalogBuild,
  { waveTokens, microBatchTokens }: WaveBounds,
): void {
  const most = Math.max(...IMAGE_BUDGETS);
  if (projector === null || Math.min(waveTokens, microBatchTokens) >= most) return;
  throw new ModelError(
    `${id} reads images of up to ${most} tokens. Set engine.wave_tokens to at least ${most}.`,
  );
}
