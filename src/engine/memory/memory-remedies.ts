import type { Backend } from '#native/platform.mjs';
import { IMAGE_BUDGETS } from '../../api/index.js';
import { deriveSizes, type SizeSettings } from '../sizes.js';
import { reserveOf } from './gpu-reserve.js';
import { type MemoryNeed, type MemorySpace, totalOf } from './memory-types.js';

/** A change of settings that reduces the memory that models take. */
interface Change {
  readonly changed: Partial<SizeSettings>;
  /** All settings with the change. */
  readonly settings: SizeSettings;
}

/** Fewer cells would hold few prompts. */
const CELLS_MIN = 1_024;
/** llama.cpp rounds a KV cache up to a multiple of it. */
const CELLS_STEP = 256;
/** Enough for a small server. */
const SMALL = { wave_tokens: 128, sequences: 16 };
/** Part of the free memory that suggested settings may take: what is not counted needs the rest. */
const SHARE_MAX = 0.95;

/** Changes to try; of each list, the first that fits changes least. `readsImages`: waves must hold the largest image. */
export function changesToTry(settings: SizeSettings, device: string, readsImages: boolean) {
  const now = deriveSizes(settings, device);
  const cells = halvings(settings.cells).map((each) => ({ cells: each }));
  const one = now.contexts > 1 ? { contexts: 1 } : {};
  const waveMin = readsImages ? Math.max(...IMAGE_BUDGETS) : SMALL.wave_tokens;
  const small = {
    ...one,
    wave_tokens: Math.min(now.bounds.waveTokens, waveMin),
    sequences: Math.min(settings.sequences, SMALL.sequences),
  };
  const change = (changed: Partial<SizeSettings>): Change => ({
    changed,
    settings: { ...settings, ...changed },
  });
  return {
    usual: [
      now.contexts > 1 ? [one, ...cells.map((each) => ({ ...one, ...each }))].map(change) : [],
      cells.map(change),
    ],
    /** For when none of the usual ones fits. */
    last: [small, ...cells.map((each) => ({ ...small, ...each }))].map(change),
  };
}

function halvings(cells: number): number[] {
  const half = Math.floor(cells / 2 / CELLS_STEP) * CELLS_STEP;
  return half < CELLS_MIN ? [] : [half, ...halvings(half)];
}

/** Whether needs leave some of the free memory, and the reserve of GPUs. */
export function fitsEasily(
  needs: readonly MemoryNeed[],
  spaces: readonly MemorySpace[],
  backend: Backend,
): boolean {
  return shortages(needs, spaces, backend, SHARE_MAX).length === 0;
}

/** A device that has less free than is needed. */
export interface Shortage {
  readonly need: MemoryNeed;
  readonly space: MemorySpace;
  /** Bytes of the device that must stay free; 0 for RAM. */
  readonly reserve: number;
}

/**
 * The devices on which needs exceed a share of what is free, or leave less than the reserve of a GPU, with which a server
 * does not start. A device whose memory is unknown has no shortage.
 */
export function shortages(
  needs: readonly MemoryNeed[],
  spaces: readonly MemorySpace[],
  backend: Backend,
  share = 1,
): Shortage[] {
  return needs.flatMap((need) => {
    const space = spaces.find(({ device }) => device === need.device);
    if (space === undefined) return [];
    const reserve = space.device === '' ? 0 : reserveOf(backend);
    const usable = Math.min(space.free * share, space.free - reserve);
    return totalOf(need) > usable ? [{ need, space, reserve }] : [];
  });
}
