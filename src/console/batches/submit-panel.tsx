import { useEffect, useRef, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import type { Submitted } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import { type ReadLimits, readLimits } from '../api/read-limits.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNote } from '../ui/error-note.js';
import { percent, whole } from '../ui/format-values.js';
import { HeldValue } from '../ui/held-value.js';
import { RefusedLines } from '../ui/refused-lines.js';
import { useLeaveWarning } from '../ui/use-leave-warning.js';
import { type CheckedFile, checkFile } from './check-file.js';
import { CheckedSummary } from './checked-summary.js';
import { EstimateNote } from './estimate-note.js';
import { MakePanel } from './make-panel.js';
import { idempotencyKeyOf, nextSubmission, type Sent } from './next-submission.js';
import { digestOf } from './sha256.js';
import { forget, remember, submissionOf } from './submissions.js';
import { SubmitButton } from './submit-button.js';

interface SubmitPanelProps {
  readonly api: Api;
  readonly limits: ReadLimits;
  /** The ids of the batches that are known: a submission that is answered with one of them was repeated. */
  readonly known: ReadonlySet<string>;
  readonly onSubmitted: (batch: Submitted) => void;
  /** Called when a file was chosen, whose models and prices are then looked up. */
  readonly onFile: () => void;
}

/** A file that was chosen, and what is known of it. */
interface Chosen {
  readonly file: File;
  /** Null until the file is read. */
  readonly read: { readonly checked: CheckedFile; readonly digest: string } | null;
}

/** The file outlives a view that is replaced by the form for a key; what was found in it was found for the last key. */
const held = new HeldValue<File | null>(() => null);

/** Chooses a batch file, checks it, and submits it. */
export function SubmitPanel({ api, limits, known, onSubmitted, onFile }: SubmitPanelProps) {
  const [chosen, setChosen] = useState<Chosen | null>(() => held.value && { file: held.value, read: null });
  const [part, setPart] = useState(0);
  const [sent, setSent] = useState<number | null>(null);
  /** The time of the server when it was asked last: the clock of this machine may be wrong, and may be set. */
  const [asked, setAsked] = useState(0);
  const [last, setLast] = useState<Last | null>(null);
  const [error, setError] = useState<unknown>(null);
  const checking = useRef<AbortController | null>(null);
  useEffect(() => {
    if (chosen !== null) choose([chosen.file]);
    return () => checking.current?.abort();
  }, []);
  useEffect(() => {
    held.value = chosen?.file ?? null;
  }, [chosen]);
  useLeaveWarning(sent !== null);

  const choose = async ([file]: File[]) => {
    if (file === undefined || sent !== null) return;
    checking.current?.abort();
    const control = new AbortController();
    checking.current = control;
    setError(null);
    setLast(null);
    setPart(0);
    setChosen({ file, read: null });
    onFile();
    try {
      const checked = await checkFile(file, setPart, control.signal);
      const digest = checked.problem === null ? await digestOf(file) : '';
      control.signal.throwIfAborted();
      setChosen({ file, read: { checked, digest } });
    } catch (thrown) {
      if (!control.signal.aborted) setError(thrown);
    }
  };
  const send = async (file: File, attempt: Sent, now: number) => {
    const prior = submissionOf(attempt.key, attempt.digest);
    const submission = nextSubmission(attempt, prior, now);
    // Another tab has submitted the file meanwhile, or the time is over: the button says so once it is drawn again.
    if (submission === null) return;
    remember(submission);
    try {
      const headers = {
        'content-type': 'application/jsonl',
        'idempotency-key': idempotencyKeyOf(submission, api.key),
      };
      const options = { method: 'POST', body: file, headers, onSent: setSent } as const;
      const { body } = await api.json<Submitted>('v1/batches', options);
      remember({ ...submission, batch: body.id });
      setChosen(null);
      setLast({ id: body.id, file: file.name, isRepeated: known.has(body.id) });
      if (!known.has(body.id)) onSubmitted(body);
    } catch (thrown) {
      // A refused submission made no batch; after any other error it may have.
      if (thrown instanceof CallError && !thrown.isTemporary && thrown.type !== 'outcome_unknown') {
        forget(submission, prior);
      }
      throw thrown;
    }
  };
  const submit = async (file: File, digest: string, repeats: number) => {
    setSent(0);
    setError(null);
    try {
      const { serverTime } = await readLimits(api);
      setAsked(serverTime);
      await send(file, { key: limits.key.id, digest, repeats }, serverTime);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSent(null);
    }
  };
  const read = chosen?.read ?? null;
  const ready = read !== null && read.checked.problem === null && read.checked.invalidLines === 0;
  return (
    <section class="panel" aria-labelledby="submit-title">
      <div class="bar">
        <h2 id="submit-title">New batch</h2>
      </div>
      <DropZone label="Choose a file" accept=".jsonl,.ndjson,.json,.txt,application/jsonl" onFiles={choose}>
        or drop it here: JSON Lines, one decision per line, up to {whole(LIMITS.batchLines)} lines and{' '}
        {LIMITS.bodyBytes / 2 ** 20} MiB
      </DropZone>
      <MakePanel limits={limits} onTable={onFile} onFile={(file) => choose([file])} />
      <div role="status">
        {chosen !== null && read === null && error === null && (
          <p>
            Checking {chosen.file.name}: {percent(part)}
          </p>
        )}
        {chosen !== null && read !== null && (
          <CheckedSummary file={chosen.file} checked={read.checked} limits={limits} />
        )}
        {last !== null && <LastNote last={last} />}
      </div>
      {ready && <EstimateNote checked={read.checked} limits={limits} />}
      {chosen !== null && read !== null && ready && (
        <SubmitButton
          lines={read.checked.lines}
          prior={submissionOf(limits.key.id, read.digest)}
          now={Math.max(asked, limits.serverTime)}
          sent={sent}
          onSubmit={(repeats) => submit(chosen.file, read.digest, repeats)}
        />
      )}
      {read !== null && read.checked.invalidLines > 0 && (
        <RefusedLines lines={read.checked.errors} all={read.checked.invalidLines} />
      )}
      {error !== null && <ErrorNote error={error} />}
      {error instanceof CallError && error.lines.length > 0 && (
        <RefusedLines lines={error.lines} all={error.invalidLines} />
      )}
    </section>
  );
}

/** How the last submission ended. */
interface Last {
  readonly id: string;
  /** The name of the file. */
  readonly file: string;
  /** Whether it is the batch of an earlier submission of the same file. */
  readonly isRepeated: boolean;
}

const LastNote = ({ last: { id, file, isRepeated } }: { readonly last: Last }) => (
  <p>
    {file} {isRepeated ? 'was submitted already as' : 'is submitted as'}{' '}
    <a href={`#/batches/${id}`}>
      <code>{id}</code>
    </a>
    .
  </p>
);
