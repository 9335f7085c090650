import { CallError, remedyOf } from '../api/error.js';

/** An error with its type and what to do about it; announced by screen readers. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="note error" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      {error instanceof CallError && <Details error={error} />}
    </div>
  );
}

function Details({ error }: { readonly error: CallError }) {
  const { type, status, requestId } = error;
  const remedy = remedyOf(error);
  return (
    <>
      {remedy !== null && <p>{remedy}</p>}
      <p class="muted">
        <code>{type}</code>
        {status !== null && ` · status ${status}`}
        {requestId !== null && ` · ${requestId}`}
      </p>
    </>
  );
}
