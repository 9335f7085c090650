import { ErrorNote } from './error-note.js';

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
