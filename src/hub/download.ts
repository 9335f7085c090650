import { existsSync, statSync } from 'node:fs';
import { OperatorError, showBytes } from '../base/index.js';
import type { HubConnection } from './connection.js';
import { PartFile, partPath, sha256Of } from './part-file.js';
import type { HubFile, Repository } from './repository.js';
import { notOfHub, Retries, type RetryTiming } from './retry.js';

/** What the downloads of one command share. */
export interface Downloading {
  readonly hub: HubConnection;
  readonly repository: Pick<Repository, 'name' | 'commit'>;
  /** The models folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly timing: RetryTiming;
  /** Receives sentences for the operator. */
  readonly notice: (sentence: string) => void;
  /** Bytes that the disk already had, and bytes that arrived; negative if they were discarded. */
  readonly onBytes: (bytes: number, source: 'disk' | 'network') => void;
}

/** A file that the hub can verify. */
export type VerifiableFile = HubFile & { readonly sha256: string };

/**
 * Brings a file of the hub to `target`: verifies the one that is there, or continues an earlier download. The file gets
 * its final name when it is complete, has the hub's SHA-256 and is flushed to the disk. Rejects with OperatorError, or
 * the signal's reason; the part then stays for the next attempt.
 */
export async function download(file: VerifiableFile, target: string, context: Downloading): Promise<void> {
  const before = versionOf(target);
  if (await isComplete(file, target, context)) return;
  const part = await PartFile.open(
    partPath(context.folder, file.sha256),
    {
      onRead: (bytes) => context.onBytes(bytes, 'disk'),
      onWait: () => context.notice(`${file.path}: another process is downloading it; waiting`),
      isDone: () => sizeOf(target) === file.size && versionOf(target) !== before,
    },
    context.signal,
  );
  // Another process has finished it.
  if (part === null) return download(file, target, context);
  try {
    const resumed = part.size > 0;
    if (part.size > file.size) await discard(part, context);
    await fetchRest(file, part, context);
    if (part.sha256 !== file.sha256 && resumed) {
      // A power failure can leave a part of the right length with wrong bytes.
      context.notice(`${file.path}: the earlier part is damaged; starting again`);
      await discard(part, context);
      await fetchRest(file, part, context);
    }
    const { sha256 } = part;
    if (sha256 !== file.sha256) {
      await discard(part, context);
      throw new OperatorError(
        `${file.path}: the SHA-256 of the download is ${sha256}, not the hub's ${file.sha256}. It was deleted. Try again; if it repeats, a proxy or mirror delivers another file.`,
      );
    }
    await part.finish(target);
  } finally {
    await part.close();
  }
}

async function isComplete(
  file: VerifiableFile,
  target: string,
  { onBytes, signal, notice }: Downloading,
): Promise<boolean> {
  if (sizeOf(target) !== file.size) return false;
  let read = 0;
  const sha256 = await sha256Of(
    target,
    (bytes) => {
      read += bytes;
      onBytes(bytes, 'disk');
    },
    signal,
  );
  if (sha256 === file.sha256) return true;
  notice(`${target} does not have the hub's SHA-256; downloading it again`);
  // It stays until another one is complete: a build may use it, and a hub can be wrong.
  onBytes(-read, 'disk');
  return false;
}

async function discard(part: PartFile, { onBytes }: Downloading): Promise<void> {
  onBytes(-part.size, 'disk');
  await part.restart();
}

/** Appends what a part lacks. Each attempt starts at the hub: the signed addresses of its storage expire. */
async function fetchRest(file: VerifiableFile, part: PartFile, context: Downloading): Promise<void> {
  const { hub, signal, timing, notice, repository } = context;
  const retries = new Retries(`hf:${repository.name}/${file.path}`, hub, signal, timing, notice);
  while (part.size < file.size) {
    try {
      const response = await requestRest(file, part, context);
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        if (part.size + bytes.length > file.size) throw tooLong(file);
        await part.append(bytes);
        context.onBytes(bytes.length, 'network');
        retries.progressed();
      }
      if (part.size < file.size) throw new Error('the response ended early');
    } catch (error) {
      await retries.afterFailure(error);
    }
  }
}

async function requestRest(file: VerifiableFile, part: PartFile, context: Downloading): Promise<Response> {
  const { hub, repository } = context;
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  // The hub redirects to its storage. Its revision is a commit, so it needs no encoding.
  const url = `${hub.endpoint}/${repository.name}/resolve/${repository.commit}/${path}`;
  const response = await hub.fetch(url, { headers: { range: `bytes=${part.size}-` } });
  try {
    const size = sizeStated(response);
    if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) throw notOfHub(file.path);
    if (size !== null && size !== file.size) throw otherSize(file, size);
    // A server without ranges sends the whole file.
    if (response.status === 200 && part.size > 0) await discard(part, context);
    else if (response.status !== 200 && startOf(response) !== part.size) {
      throw new Error('the response has another range than requested');
    }
    return response;
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
}

/** The size of the whole file that a response states; null if it states none. */
function sizeStated({ status, headers }: Response): number | null {
  const stated =
    status === 200
      ? headers.get('content-length')
      : (/^bytes \d+-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? null);
  return stated === null ? null : Number(stated);
}

/** Where the range of a response starts; null if it has none. */
function startOf({ headers }: Response): number | null {
  const start = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(headers.get('content-range') ?? '')?.[1];
  return start === undefined ? null : Number(start);
}

const otherSize = ({ path, size }: VerifiableFile, delivered: number) =>
  new OperatorError(`${path}: the hub lists ${size} bytes and delivers ${delivered}. Try again later.`);

const tooLong = ({ path, size }: VerifiableFile) =>
  new OperatorError(
    `${path}: the response is longer than the ${showBytes(size)} that the hub lists. Try again later.`,
  );

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : null);

/** Differs for every file that was at a path. */
function versionOf(path: string): string | null {
  if (!existsSync(path)) return null;
  const { ino, ctimeNs } = statSync(path, { bigint: true });
  return `${ino} ${ctimeNs}`;
}
