import { ErrorNote } from './error-note.js';
import type { Loaded } from './use-load.js';

interface LoadingProps {
  /** Why the first call failed; null while it runs. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** The page before the first answer of the server. */
export function Loading({ error, retry }: LoadingProps) {
  if (error === null) return <p class="muted loading">Loading…</p>;
  return (
    <section class="panel narrow">
      <ErrorNote error={error} />
      <button type="button" onClick={retry}>
        Try again
      </button>
    </section>
  );
}

/** Above a list: why its last load failed, or that its first load is in progress. */
export function LoadNote({ value, error }: Pick<Loaded<unknown>, 'value' | 'error'>) {
  if (error !== null) return <ErrorNote error={error} />;
  return value === null ? <p class="muted">Loading…</p> : null;
}
