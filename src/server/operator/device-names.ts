// The engine names the CPU and its memory ''.

/** The name of a device as a memory. */
export const nameOfMemory = (device: string): string => device || 'RAM';

/** The name of a device that computes. */
export const nameOfDevice = (device: string): string => device || 'CPU';
