import type { ManifestModel } from './models/manifest-schema.js';
import type { WaveBounds } from './wave/wave-types.js';

/** The settings of `engine` that decide how large contexts are; 0 stands for a default that depends on the device. */
export interface SizeSettings {
  readonly cells: number;
  readonly wave_tokens: number;
  readonly sequences: number;
  /** Per model and device. */
  readonly contexts: number;
}

/** How large the contexts of an engine are. */
export interface EngineSizes {
  readonly bounds: WaveBounds;
  /** Per model and device. */
  readonly contexts: number;
}

/** Defaults by kind of device, for settings that are 0. */
const DERIVED = {
  /** Short waves keep a CPU's answers prompt; 64 tokens already run at 97 % of the speed of 512. */
  cpu: { waveTokens: 512, microBatchTokens: 512, microBatchTokensMin: 64, contexts: 1 },
  /** A GPU needs wide waves, and a second context that prepares one while the first computes. */
  gpu: { waveTokens: 2_048, microBatchTokens: 2_048, microBatchTokensMin: 0, contexts: 2 },
};

/** The sizes that settings lead to on a device; '' is the CPU. */
export function deriveSizes(settings: SizeSettings, device: string): EngineSizes {
  const derived = DERIVED[device === '' ? 'cpu' : 'gpu'];
  const waveTokens = settings.wave_tokens || derived.waveTokens;
  const bounds = {
    cells: settings.cells,
    waveTokens,
    microBatchTokens: Math.max(Math.min(waveTokens, derived.microBatchTokens), derived.microBatchTokensMin),
    microBatchTokensMin: derived.microBatchTokensMin,
    sequences: settings.sequences,
  };
  return { bounds, contexts: settings.contexts || derived.contexts };
}

/** The devices of a model: those that the manifest gives it, otherwise those that all models use. */
export function devicesOf({ engine }: ManifestModel, devices: readonly string[]): readonly string[] {
  return engine?.devices ?? devices;
}

/** The sizes of a model: those that the manifest gives it, otherwise the settings. */
export function settingsOf<Sizes extends { readonly cells: number }>(
  { engine = {} }: ManifestModel,
  sizes: Sizes,
): Sizes {
  const { contexts, cells, wave_tokens, sequences } = engine;
  const own = Object.entries({ contexts, cells, wave_tokens, sequences });
  return { ...sizes, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) };
}
