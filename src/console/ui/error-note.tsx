import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { CallError, type Remedies, remedyOf } from '../api/error.js';

/** The remedies that error notes show; each console has its own. */
export const RemedyTable = createContext<Remedies>({});

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
  const { type, status, requestId, field } = error;
  const remedy = remedyOf(error, useContext(RemedyTable));
  return (
    <>
      {remedy !== null && <p>{remedy}</p>}
      <p class="muted">
        <code>{type}</code>
        {status !== null && ` · status ${status}`}
        {field !== null && ` · field ${field}`}
        {requestId !== null && ` · ${requestId}`}
      </p>
    </>
  );
}
