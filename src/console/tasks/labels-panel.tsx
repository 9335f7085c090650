import { useEffect, useRef, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import type { Task } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { CallError } from '../api/error.js';
import { ActionButton } from '../ui/action-button.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNote } from '../ui/error-note.js';
import { count, whole } from '../ui/format-values.js';
import { RefusedLines } from '../ui/refused-lines.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';
import { type LabelFile, readLabelFile } from './label-file.js';
import {
  chooseLabels,
  sendLabels,
  stopLabels,
  storedLines,
  type UploadState,
  useUpload,
} from './label-uploads.js';

interface LabelsPanelProps {
  readonly api: Api;
  readonly name: string;
  /** The id of the key. */
  readonly keyId: string;
  readonly task: Task;
  readonly source: Source;
  readonly onChanged: () => void;
}

const EXAMPLE = `{"request_id": "req_…", "expected": {"angry": true}}
{"state": "Where is my parcel?", "expected": {"angry": false}}`;

/** A place for a file of labels, and how far it is stored. */
export function LabelsPanel({ api, name, keyId, task, source, onChanged }: LabelsPanelProps) {
  const upload = useUpload(name, keyId);
  const [reading, setReading] = useState<string | null>(null);
  const [unreadable, setUnreadable] = useState<unknown>(null);
  const readings = useRef<AbortController | null>(null);
  useEffect(() => () => readings.current?.abort(), []);
  const choose = async ([file]: File[]) => {
    if (file === undefined || (upload !== null && upload.sent !== null)) return;
    readings.current?.abort();
    const control = new AbortController();
    readings.current = control;
    setReading(file.name);
    setUnreadable(null);
    try {
      const read = await readLabelFile(file, control.signal);
      control.signal.throwIfAborted();
      chooseLabels(name, keyId, read);
    } catch (error) {
      if (!control.signal.aborted) setUnreadable(error);
    }
    // Otherwise another file is being read.
    if (!control.signal.aborted) setReading(null);
  };
  const send = (which: 'all' | 'others') => {
    sendLabels(api, name, keyId, which).finally(onChanged);
  };
  return (
    <section class="panel" aria-labelledby="labels-title" aria-busy={upload !== null && upload.sent !== null}>
      <div class="bar">
        <h2 id="labels-title">Labels</h2>
        <AsOf source={source} />
      </div>
      <Sourced source={source}>
        <p>
          {count(task.labels, 'labelled answer')} of at most {whole(LIMITS.taskLabels)}.
        </p>
      </Sourced>
      <DropZone
        label="Choose a file of labels"
        accept=".jsonl,.ndjson,.json,.txt,application/jsonl"
        onFiles={choose}
      >
        or drop it here: JSON Lines, one label per line
      </DropZone>
      <details class="task-part">
        <summary>What does a line look like?</summary>
        <pre class="code">{EXAMPLE}</pre>
        <p class="muted">
          A line names a request by the <code>X-Request-Id</code> of its response, a line of a batch by{' '}
          <code>batch_id</code> and <code>custom_id</code>, or has a <code>state</code>, which is decided
          first.
        </p>
      </details>
      {reading !== null && <p role="status">Reading {reading}…</p>}
      {unreadable !== null && <ErrorNote error={unreadable} />}
      {upload !== null && (
        <Upload upload={upload} keyId={keyId} onSend={send} onStop={() => stopLabels(name)} />
      )}
    </section>
  );
}

interface UploadProps {
  readonly upload: UploadState;
  readonly keyId: string;
  readonly onSend: (which: 'all' | 'others') => void;
  readonly onStop: () => void;
}

function Upload({ upload, keyId, onSend, onStop }: UploadProps) {
  const { file, sent, error, refused } = upload;
  const stored = storedLines(upload);
  const isReady = file.problem === null && file.invalidLines === 0;
  return (
    <>
      <FileSummary file={file} />
      {isReady && (
        <div class="actions">
          <SendButtons upload={upload} keyId={keyId} stored={stored} onSend={onSend} onStop={onStop} />
        </div>
      )}
      {isReady && <Progress upload={upload} />}
      {file.invalidLines > 0 && <RefusedLines lines={file.errors} all={file.invalidLines} />}
      {error !== null && sent === null && <ErrorNote error={error} />}
      {error instanceof CallError && refused.length > 0 && (
        <RefusedLines lines={refused} all={error.invalidLines} />
      )}
    </>
  );
}

function FileSummary({ file }: { readonly file: LabelFile }) {
  const { name, lines, states, invalidLines, problem } = file;
  if (problem !== null) {
    return (
      <p class="warning" role="status">
        <bdi>{name}</bdi>: {problem}
      </p>
    );
  }
  return (
    <>
      <p role="status">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        : {count(lines, 'line')}
        {invalidLines > 0 && (
          <strong class="warning"> {count(invalidLines, 'line is', 'lines are')} invalid</strong>
        )}
      </p>
      {states > 0 && (
        <p class="muted">
          {count(states, 'line has', 'lines have')} a state, which is decided at the price of a line of a
          batch.
        </p>
      )}
    </>
  );
}

interface SendButtonsProps extends UploadProps {
  /** Lines that are stored. */
  readonly stored: number;
}

function SendButtons({ upload, keyId, stored, onSend, onStop }: SendButtonsProps) {
  const { file, sent, isStopping, storedBy } = upload;
  const isSending = sent !== null;
  const left = file.lines - stored;
  // The key may be of another workspace, which has none of the labels.
  const isOther = storedBy !== keyId && stored > 0 && !isSending;
  if (left === 0 && !isSending && !isOther) return null;
  return (
    <>
      {isOther && (
        <>
          <ActionButton once off={false} onClick={() => onSend('all')}>
            Store all {count(file.lines, 'label')}
          </ActionButton>
          <span class="muted">
            {count(stored, 'label was', 'labels were')} stored with the key {storedBy}. If the present key is
            of the same workspace, only the others are missing
            {file.states > 0 && '; to store all would charge states again'}.
          </span>
        </>
      )}
      {(left > 0 || isSending) && (
        <ActionButton primary={!isOther} once off={isSending} onClick={() => onSend('others')}>
          {isSending
            ? 'Storing…'
            : stored === 0
              ? `Store ${count(left, 'label')}`
              : `Store the other ${count(left, 'label')}`}
        </ActionButton>
      )}
      {isSending && file.parts.length > 1 && (
        <ActionButton off={isStopping} onClick={onStop}>
          Stop after this call
        </ActionButton>
      )}
    </>
  );
}

function Progress({ upload }: { readonly upload: UploadState }) {
  const { file, parts, call, sent, labels } = upload;
  const stored = storedLines({ file, parts: sent === null ? parts : call });
  const present = file.parts[call]?.length ?? 0;
  const done = (stored + present * (sent ?? 0)) / file.lines;
  return (
    <>
      {sent !== null && <progress aria-label="Part of the labels that is sent" value={done} />}
      <p role="status" class={sent === null && stored > 0 && stored < file.lines ? 'warning' : 'muted'}>
        {stored > 0 && `Stored: ${whole(stored)} of ${count(file.lines, 'line')}.`}
        {sent === 1 && ' The server checks and stores the next ones.'}
        {labels !== null && stored === file.lines && ` The task has ${count(labels, 'labelled answer')}.`}
      </p>
    </>
  );
}
