import type { Backend } from '#native/platform.mjs';
import { lowMemory } from './memory-messages.js';
import type { MemorySpace, ReserveAdvice } from './memory-types.js';
import { MemoryError } from './require.js';

/**
 * Bytes that a GPU must have free once every context has computed its largest waves: libraries of a backend allocate a
 * little more for shapes they have not seen, and other programs use the device too. With CUDA, each further process that
 * uses the device, such as the estimate at a reload and `decider doctor`, takes several hundred megabytes of it.
 */
export const RESERVE_BYTES = 256 << 20;
export const CUDA_RESERVE_BYTES = 768 << 20;

/**
 * Throws MemoryError if one of the spaces has less free than the reserve, with what to change: a GPU without memory ends
 * the process in the middle of a wave. To be called after the warm-up. RAM and GPUs that do not report their memory pass.
 */
export function requireReserve(
  spaces: readonly MemorySpace[],
  backend: Backend,
  advice: ReserveAdvice,
): void {
  const reserve = backend === 'cuda' ? CUDA_RESERVE_BYTES : RESERVE_BYTES;
  const low = spaces.filter(({ device, free }) => device !== '' && free < reserve);
  if (low.length > 0) throw new MemoryError(lowMemory(low, reserve, advice));
}
