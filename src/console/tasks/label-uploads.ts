import { useEffect, useState } from 'preact/hooks';
import type { StoredLabels } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { CallError, type RefusedLine } from '../api/error.js';
import { HeldValue } from '../ui/held-value.js';
import type { LabelFile, LabelPart } from './label-file.js';
import { taskPath } from './loaded-task.js';

/** How far the labels of a file are stored. */
export interface UploadState {
  readonly file: LabelFile;
  /** Calls that were answered: their lines are stored. */
  readonly parts: number;
  /** The id of the key with which they were stored. */
  readonly storedBy: string;
  /** The index of the call in progress, or of the last one. */
  readonly call: number;
  /** The part of the present call's body that has been sent, 0 to 1; null: no call is in progress. */
  readonly sent: number | null;
  /** Whether no further call begins. */
  readonly isStopping: boolean;
  /** Why the last call failed; null if it did not. */
  readonly error: unknown;
  /** The lines that the last call refused, by their numbers in the file. */
  readonly refused: readonly RefusedLine[];
  /** The labelled answers that the task has; null until a call was answered. */
  readonly labels: number | null;
  /** The id of the key with which labels were sent last. */
  readonly key: string;
}

/** The uploads of this page by task. They go on while another task or view is shown, and outlive the form for a key. */
const uploads = new HeldValue(() => new Map<string, UploadState>());
const listeners = new Set<() => void>();

function put(name: string, state: UploadState): void {
  uploads.value.set(name, state);
  for (const listen of listeners) listen();
}

const change = (name: string, part: Partial<UploadState>): void => {
  const state = uploads.value.get(name);
  if (state !== undefined) put(name, { ...state, ...part });
};

/** Draws the component anew with each change of an upload. */
function useUploads(): ReadonlyMap<string, UploadState> {
  const [, draw] = useState({});
  useEffect(() => {
    const listen = () => draw({});
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, []);
  return uploads.value;
}

/** Whether labels are being sent: leaving the page would stop that. */
export const useUploading = (): boolean => [...useUploads().values()].some(({ sent }) => sent !== null);

/** The upload of a task; null: no file was chosen, or by another key that still works. */
export function useUpload(name: string, key: string): UploadState | null {
  const state = useUploads().get(name) ?? null;
  if (state === null || state.key === key) return state;
  return state.error instanceof CallError && state.error.type === 'unauthorized' ? state : null;
}

/** Replaces the file of a task, unless its labels are being sent. */
export function chooseLabels(name: string, key: string, file: LabelFile): void {
  if (uploads.value.get(name)?.sent != null) return;
  const none = { parts: 0, call: 0, sent: null, isStopping: false, error: null, refused: [], labels: null };
  put(name, { file, key, storedBy: key, ...none });
}

/** No further call begins; the present one ends. */
export const stopLabels = (name: string): void => change(name, { isStopping: true });

/** Stops all uploads: their key is not used any more. */
export const stopAllLabels = (): void => [...uploads.value.keys()].forEach(stopLabels);

/** Forgets the file of a task that was deleted. */
export const forgetLabels = (name: string): void => void uploads.value.delete(name);

/**
 * Sends labels call by call, until all are stored or a call fails. Ignored while they are being sent.
 *
 * @param which `all`, or the `others` than those that are stored in the workspace of the key. Until the first answer, what
 *   was stored with another key stays known.
 */
export async function sendLabels(
  api: Api,
  name: string,
  key: string,
  which: 'all' | 'others',
): Promise<void> {
  const begun = uploads.value.get(name);
  if (begun === undefined || begun.sent !== null) return;
  let call = which === 'all' ? 0 : begun.parts;
  put(name, { ...begun, key, call, sent: 0, isStopping: false, error: null, refused: [] });
  // Once the upload is forgotten, there may be one of another key.
  const changeOwn = (part: Partial<UploadState>) => {
    if (uploads.value.get(name)?.file === begun.file) change(name, part);
  };
  for (;;) {
    const state = uploads.value.get(name);
    const part = begun.file.parts[call];
    if (state?.file !== begun.file || part === undefined || state.isStopping) break;
    try {
      changeOwn({ call, sent: 0 });
      const { labels } = await sendPart(api, name, part, (sent) => changeOwn({ sent }));
      call += 1;
      changeOwn({ parts: call, storedBy: key, labels });
    } catch (error) {
      changeOwn({ error, refused: inFile(error, part) });
      break;
    }
  }
  changeOwn({ sent: null });
}

async function sendPart(
  api: Api,
  name: string,
  part: LabelPart,
  onSent: (part: number) => void,
): Promise<StoredLabels> {
  const { body } = await api.json<StoredLabels>(`${taskPath(name)}/labels`, {
    method: 'POST',
    headers: { 'content-type': 'application/jsonl' },
    body: new Blob(part.map(({ text }) => `${text}\n`)),
    onSent,
  });
  return body;
}

/** The refused lines of a call, with their numbers in the file. */
const inFile = (error: unknown, part: LabelPart): RefusedLine[] =>
  error instanceof CallError
    ? error.lines.map((refused) => ({ ...refused, line: part[refused.line - 1]?.number ?? refused.line }))
    : [];

/** How many lines of a file are stored. */
export const storedLines = ({ file, parts }: Pick<UploadState, 'file' | 'parts'>): number =>
  file.parts.slice(0, parts).reduce((sum, { length }) => sum + length, 0);
