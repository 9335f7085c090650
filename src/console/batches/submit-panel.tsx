import { useEffect, useRef, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import type { Limits, Submitted } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError, type RefusedLine } from '../api/error.js';
import { ActionButton } from '../ui/action-button.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNote } from '../ui/error-note.js';
import { bytes, count, percent, whole } from '../ui/format-values.js';
import { type CheckedFile, checkFile } from './check-file.js';

interface SubmitPanelProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly onSubmitted: (batch: Submitted) => void;
}

/** A file that was chosen, and how far it has come. */
interface Chosen {
  readonly file: File;
  /** Lets the server recognize a repeated submission (contract 4.6 rule 8). */
  readonly idempotencyKey: string;
  readonly checked: CheckedFile | null;
}

const KEY_BYTES = 16;

/** `crypto.randomUUID` exists only on pages with TLS and on this machine. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

/** Chooses a batch file, checks it, and submits it. */
export function SubmitPanel({ api, limits, onSubmitted }: SubmitPanelProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [part, setPart] = useState(0);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const checking = useRef<AbortController | null>(null);
  useEffect(() => () => checking.current?.abort(), []);

  const choose = async ([file]: File[]) => {
    if (file === undefined) return;
    checking.current?.abort();
    const control = new AbortController();
    checking.current = control;
    const fresh = { file, idempotencyKey: randomKey() };
    setError(null);
    setPart(0);
    setChosen({ ...fresh, checked: null });
    try {
      const models = limits.models.map(({ id }) => id);
      setChosen({ ...fresh, checked: await checkFile(file, models, setPart, control.signal) });
    } catch (thrown) {
      if (!control.signal.aborted) setError(thrown);
    }
  };
  const submit = async ({ file, idempotencyKey }: Chosen) => {
    setSending(true);
    setError(null);
    try {
      const headers = { 'content-type': 'application/jsonl', 'idempotency-key': idempotencyKey };
      const { body } = await api.json<Submitted>('v1/batches', { method: 'POST', body: file, headers });
      setChosen(null);
      onSubmitted(body);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSending(false);
    }
  };
  const checked = chosen?.checked ?? null;
  const ready = checked !== null && checked.problem === null && checked.invalidLines === 0;
  return (
    <section class="panel" aria-labelledby="submit-title">
      <div class="bar">
        <h2 id="submit-title">New batch</h2>
      </div>
      <DropZone label="Choose a file" accept=".jsonl,.ndjson,.json,.txt,application/jsonl" onFiles={choose}>
        or drop it here: JSON Lines, one decision per line, up to {whole(LIMITS.batchLines)} lines and{' '}
        {LIMITS.bodyBytes / 2 ** 20} MiB
      </DropZone>
      <div role="status">
        {chosen !== null && checked === null && error === null && (
          <p>
            Checking {chosen.file.name}: {percent(part)}
          </p>
        )}
        {chosen !== null && checked !== null && <CheckedSummary file={chosen.file} checked={checked} />}
      </div>
      {chosen !== null && ready && (
        <div class="actions">
          <ActionButton primary off={sending} onClick={() => submit(chosen)}>
            {sending ? 'Submitting…' : `Submit ${count(checked.lines, 'line')}`}
          </ActionButton>
          <span class="muted">An interrupted submission can be repeated: it makes one batch only.</span>
        </div>
      )}
      {checked !== null && checked.invalidLines > 0 && (
        <RefusedLines lines={checked.errors} all={checked.invalidLines} />
      )}
      {error !== null && <ErrorNote error={error} />}
      {error instanceof CallError && error.lines.length > 0 && (
        <RefusedLines lines={error.lines} all={error.invalidLines} />
      )}
    </section>
  );
}

function CheckedSummary({ file, checked }: { readonly file: File; readonly checked: CheckedFile }) {
  const { lines, models, invalidLines, problem } = checked;
  if (problem !== null) {
    return (
      <p class="warning">
        {file.name}: {problem}
      </p>
    );
  }
  return (
    <p>
      <strong>{file.name}</strong>: {count(lines, 'line')}, {bytes(file.size)}
      {models.map(([model, uses]) => (
        <span key={model} class="muted">
          {' '}
          · {count(uses, 'line')} for {model}
        </span>
      ))}
      {invalidLines > 0 && (
        <strong class="warning">
          {' '}
          {invalidLines === 1 ? '1 line is invalid' : `${whole(invalidLines)} lines are invalid`}
        </strong>
      )}
    </p>
  );
}

interface RefusedLinesProps {
  readonly lines: readonly RefusedLine[];
  /** The number of all refused lines, of which the first are listed. */
  readonly all: number;
}

function RefusedLines({ lines, all }: RefusedLinesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Invalid lines">
      <table>
        <caption>
          {lines.length < all ? `The first ${lines.length} of ${whole(all)} invalid lines` : 'Invalid lines'}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              Line
            </th>
            <th scope="col">Type</th>
            <th scope="col">What is wrong</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ line, type, error }) => (
            <tr key={line}>
              <td class="number">{whole(line)}</td>
              <td>
                <code>{type}</code>
              </td>
              <td class="text" dir="auto">
                {error}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
