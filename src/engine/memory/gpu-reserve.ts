import type { Backend } from '#native/platform.mjs';

/**
 * Bytes that a GPU must have free once every context has computed its largest waves: libraries of a backend allocate a
 * little more for shapes they have not seen, and other programs use the device too. With CUDA, each further process that
 * uses the device, such as the estimate at a reload and `decider doctor`, takes several hundred megabytes of it.
 */
export const RESERVE_BYTES = 256 << 20;
export const CUDA_RESERVE_BYTES = 768 << 20;

/** The bytes of a GPU that models must leave free. RAM has no reserve. */
export const reserveOf = (backend: Backend): number =>
  backend === 'cuda' ? CUDA_RESERVE_BYTES : RESERVE_BYTES;
