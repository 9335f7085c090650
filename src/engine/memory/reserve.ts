import { lowMemory } from './memory-messages.js';
import type { MemorySpace, ReserveAdvice } from './memory-types.js';
import { MemoryError } from './require.js';

/**
 * Bytes that a GPU must have free once every context has computed its largest waves: libraries of a backend allocate a
 * little more for shapes they have not seen, and other programs use the device too.
 */
export const RESERVE_BYTES = 256 << 20;

/**
 * Throws MemoryError if one of the devices has less free than the reserve, with what to change: a GPU without memory ends
 * the process in the middle of a wave. To be called after the warm-up. RAM and GPUs that do not report their memory pass.
 */
export function requireReserve(
  spaces: readonly MemorySpace[],
  devices: readonly string[],
  advice: ReserveAdvice,
): void {
  const low = spaces.filter(
    ({ device, free }) => device !== '' && devices.includes(device) && free < RESERVE_BYTES,
  );
  if (low.length > 0) throw new MemoryError(lowMemory(low, RESERVE_BYTES, advice));
}
