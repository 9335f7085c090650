/**
 * Aborts `controller` when `outer` aborts, or at once if it has. The returned function ends that. For a signal that lasts
 * longer than what follows it: `AbortSignal.any` leaves an entry on it for every call.
 */
export function followAbort(outer: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  else outer.addEventListener('abort', abort, { once: true });
  return () => outer.removeEventListener('abort', abort);
}
