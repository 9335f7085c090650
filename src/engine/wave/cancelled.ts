/** The message of a wave that was aborted, as the addon throws it (native/source/context.cc). */
const CANCELLED = 'the decode was cancelled';

/** Whether a wave ended because this process aborted it, which is no failure. The error loses its class between threads. */
export const isCancelled = (error: unknown): boolean => error instanceof Error && error.message === CANCELLED;
