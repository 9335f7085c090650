import { useEffect, useRef, useState } from 'preact/hooks';
import type { Batch } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { ActionButton } from '../ui/action-button.js';
import { csvFile } from '../ui/csv.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNote } from '../ui/error-note.js';
import { count, whole } from '../ui/format-values.js';
import { saveFile } from '../ui/save-file.js';
import { readStates } from './read-states.js';
import { fitsCsv, resultRows } from './results-csv.js';
import { ResultsTable } from './results-table.js';
import { type Results, readResults } from './shown-results.js';
import { isOpen } from './use-batch.js';

interface ResultsPanelProps {
  readonly api: Api;
  readonly batch: Batch;
  readonly results: Results | null;
  readonly onResults: (results: Results) => void;
  /** Called after the results were collected, which changes when the batch is deleted. */
  readonly onCollected: () => void;
}

/** The results of a batch, as a table and as a file. They are collected once, and only on request. */
export function ResultsPanel({ api, batch, results, onResults, onCollected }: ResultsPanelProps) {
  const [file, setFile] = useState<Blob | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [states, setStates] = useState<ReadonlyMap<string, string> | null>(null);
  const [joined, setJoined] = useState<string | null>(null);
  /** The file that was chosen last. */
  const latest = useRef<File | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The button that asked for them has gone.
  useEffect(() => {
    if (results !== null) title.current?.focus();
  }, [results]);
  const { id, results_available: available } = batch;
  const collect = async (): Promise<Blob> => {
    if (file !== null) return file;
    const collected = await api.results(batch);
    setFile(collected);
    onCollected();
    return collected;
  };
  const join = async ([chosen]: File[]) => {
    if (chosen === undefined || results === null) return;
    latest.current = chosen;
    const read = await readStates(chosen).catch((error: Error) => error);
    if (latest.current !== chosen) return;
    if (read instanceof Error) {
      setJoined(`${chosen.name}: ${read.message}`);
      setStates(null);
      return;
    }
    const known = results.rows.filter((row) => read.has(row.id)).length;
    setJoined(`${chosen.name} has ${count(known, 'line')} of ${whole(results.rows.length)}.`);
    setStates(known === 0 ? null : read);
  };
  const run = async (use: (collected: Blob) => unknown) => {
    setBusy(true);
    setError(null);
    try {
      await use(await collect());
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="results" aria-labelledby="results-title">
      <h3 id="results-title" tabIndex={-1} ref={title}>
        Results
      </h3>
      {!available && (
        <p class="muted">
          {isOpen(batch) || batch.finished_at === null
            ? 'Results can be collected when the batch has finished.'
            : 'The results can no longer be collected.'}
        </p>
      )}
      {available && (
        <div class="actions">
          {results === null && (
            <ActionButton
              primary
              off={busy}
              onClick={() => run(async (collected) => onResults(await readResults(collected)))}
            >
              Show the results
            </ActionButton>
          )}
          <ActionButton off={busy} onClick={() => run((collected) => saveFile(collected, `${id}.jsonl`))}>
            Save as a file
          </ActionButton>
          {results !== null && fitsCsv(results) && (
            <ActionButton off={false} onClick={() => saveFile(csvFile(resultRows(results)), `${id}.csv`)}>
              Save as CSV
            </ActionButton>
          )}
          {results !== null && !fitsCsv(results) && (
            <span class="muted">
              The lines have {whole(results.questions.length)} different questions, too many columns for CSV.
              The file has all answers.
            </span>
          )}
          {results === null && (
            <span class="muted">The batch is deleted 7 days after its results were first collected.</span>
          )}
        </div>
      )}
      {error !== null && <ErrorNote error={error} />}
      {results !== null && (
        <>
          <DropZone label="Choose the submitted file" accept=".jsonl,.ndjson,.json,.txt" onFiles={join}>
            to show the states beside the answers; it is not sent
          </DropZone>
          {joined !== null && (
            <p role="status" class="muted">
              {joined}
            </p>
          )}
          <ResultsTable results={results} states={states} />
        </>
      )}
    </section>
  );
}
