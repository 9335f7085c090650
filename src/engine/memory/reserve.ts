import type { Backend } from '#native/platform.mjs';
import { reserveOf } from './gpu-reserve.js';
import { lowMemory } from './memory-messages.js';
import type { MemorySpace, ReserveAdvice } from './memory-types.js';
import { MemoryError } from './require.js';

/**
 * Throws MemoryError if one of the spaces has less free than the reserve, with what to change: a GPU without memory ends
 * the process in the middle of a wave. To be called after the warm-up. RAM and GPUs that do not report their memory pass.
 */
export function requireReserve(
  spaces: readonly MemorySpace[],
  backend: Backend,
  advice: ReserveAdvice,
): void {
  const reserve = reserveOf(backend);
  const low = spaces.filter(({ device, free }) => device !== '' && free < reserve);
  if (low.length > 0) throw new MemoryError(lowMemory(low, reserve, advice));
}
