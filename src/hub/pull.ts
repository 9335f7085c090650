import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, freeBytes, OperatorError, showBytes } from '../base/index.js';
import { chooseModel, chooseProjector } from './choose-model.js';
import type { HubConnection } from './connection.js';
import { download, type VerifiableFile } from './download.js';
import { PullProgress } from './download-progress.js';
import { partPath, requireSpace } from './part-file.js';
import { type Reference, showReference } from './reference.js';
import { type HubFile, type Repository, readRepository } from './repository.js';
import { RETRY_TIMING, Retries, type RetryTiming } from './retry.js';

/** A file of a selection. */
interface SelectedFile extends VerifiableFile {
  /** Its place, relative to the models folder. */
  readonly file: string;
}

/** The files that a reference means. */
export interface Selection {
  readonly repository: Repository;
  /** Null if the name of the file states none. */
  readonly quantization: string | null;
  /** The model: one file, or those of a split GGUF in order. */
  readonly model: readonly [SelectedFile, ...SelectedFile[]];
  readonly projector: SelectedFile | null;
}

/** What requests to the hub need from their surroundings. */
export interface HubContext {
  readonly hub: HubConnection;
  readonly signal: AbortSignal;
  /** Receives sentences for the operator. */
  readonly notice: (sentence: string) => void;
  readonly timing?: RetryTiming;
}

/**
 * Finds the files that a reference means. `projector`: a path in the repository, or `none`; undefined: the only one.
 * Rejects with OperatorError, which lists the choices if there are several, or with the signal's reason.
 */
export async function select(
  reference: Reference,
  projector: string | undefined,
  { hub, signal, notice, timing = RETRY_TIMING }: HubContext,
): Promise<Selection> {
  const retries = new Retries(showReference(reference), hub, signal, timing, notice);
  const repository = await readRepository(hub, reference, retries);
  const { quantization, files } = chooseModel(reference, repository);
  const chosen = chooseProjector(reference, repository, projector);
  const [first, ...others] = files;
  return {
    repository,
    quantization,
    model: [place(repository, first), ...others.map((file) => place(repository, file))],
    projector: chosen === null ? null : place(repository, chosen),
  };
}

/** The commit is part of the place: another revision must not replace a file that a build uses. */
function place({ name, commit }: Repository, file: HubFile): SelectedFile {
  const { sha256, path } = file;
  if (sha256 === null || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new OperatorError(
      `hf:${name}/${path}: the hub gives no SHA-256 for it. Download it yourself, verify it, and run: decider models add FILE`,
    );
  }
  return { ...file, sha256, file: join(name, commit.slice(0, 12), path) };
}

/** All files of a selection. */
const filesOfSelection = ({ model, projector }: Selection): SelectedFile[] =>
  projector === null ? [...model] : [...model, projector];

/**
 * Downloads the files of a selection into a models folder, or continues. Each gets its final name when it is complete
 * and verified. Rejects with OperatorError if the disk has no room for them or a file cannot be had, or with the
 * signal's reason.
 */
export async function downloadSelection(
  selection: Selection,
  folder: string,
  { hub, signal, notice, timing = RETRY_TIMING }: HubContext,
  onProgress: (progress: PullProgress) => void,
  clock: Pick<Clock, 'monotonic'>,
  free: (folder: string) => number = freeBytes,
): Promise<void> {
  const files = filesOfSelection(selection);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const missing = files.reduce((sum, file) => sum + file.size - bytesHere(file, folder), 0);
  requireSpace(folder, missing, free);
  const what = files.length === 1 ? (files[0] as SelectedFile).path : `${files.length} files`;
  const does = missing === total ? 'Downloading' : missing === 0 ? 'Verifying' : 'Continuing';
  notice(`${does} ${what}, ${showBytes(total)}`);
  const progress = new PullProgress(total, clock);
  for (const file of files) {
    await download(file, join(folder, file.file), {
      hub,
      repository: selection.repository,
      folder,
      signal,
      timing,
      notice,
      onBytes: (bytes, source) => {
        progress.add(bytes, source);
        onProgress(progress);
      },
    });
  }
}

/** Bytes of a file that are on the disk, at its place or as a part. */
function bytesHere({ file, sha256, size }: SelectedFile, folder: string): number {
  const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0);
  // A file of another size is downloaded again.
  if (sizeOf(join(folder, file)) === size) return size;
  return Math.min(size, sizeOf(partPath(folder, sha256)));
}
