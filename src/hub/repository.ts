import { OperatorError, shellWord } from '../base/index.js';
import type { HubConnection } from './connection.js';
import { type Reference, requireSafePath, showReference } from './reference.js';
import { notOfHub, type Retries, retried } from './retry.js';

/** A file of a repository. */
export interface HubFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Null if the hub gives none: the file is not in large file storage. */
  readonly sha256: string | null;
}

/** A repository at one commit. */
export interface Repository {
  /** The one that was asked for, in the hub's spelling. */
  readonly name: string;
  readonly commit: string;
  /** When it was last changed; null if the hub does not say. */
  readonly changed: Date | null;
  /** Its GGUFs, by path. */
  readonly files: readonly HubFile[];
}

/** Maximum number of entries of a repository that are read. */
export const ENTRIES_MAX = 20_000;

/**
 * Finds the commit of a reference and lists its GGUFs. All requests after the first name the commit, so that a push in
 * between cannot mix two versions. Rejects with OperatorError.
 */
export async function readRepository(
  hub: HubConnection,
  reference: Reference,
  retries: Retries,
): Promise<Repository> {
  const { listFiles, modelInfo } = await import('@huggingface/hub');
  const { repository, revision } = reference;
  const options = () => ({
    hubUrl: hub.endpoint,
    fetch: boundedFetch(hub.fetch, showReference(reference)),
  });
  const info = await retried(retries, () =>
    modelInfo({ ...options(), name: repository, revision, additionalFields: ['sha'] }),
  );
  if (typeof info.sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(info.sha)) {
    throw notOfHub(showReference(reference));
  }
  const files = await retried(retries, async () => {
    const found: HubFile[] = [];
    let entries = 0;
    for await (const { type, path, size, lfs } of listFiles({
      ...options(),
      repo: { type: 'model', name: repository },
      revision: info.sha,
      recursive: true,
    })) {
      entries += 1;
      if (entries > ENTRIES_MAX) {
        throw new OperatorError(
          `${showReference(reference)} has more than ${ENTRIES_MAX} files. Use a smaller repository.`,
        );
      }
      if (type === 'file' && /\.gguf$/i.test(path)) {
        requireSafePath(path);
        const bytes = lfs?.size ?? size;
        if (!Number.isSafeInteger(bytes) || bytes < 0) throw notOfHub(showReference(reference));
        found.push({ path, size: bytes, sha256: lfs?.oid ?? null });
      }
    }
    return found;
  });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const changed =
    info.updatedAt instanceof Date && Number.isFinite(info.updatedAt.getTime()) ? info.updatedAt : null;
  return { name: nameOf(info.name, reference), commit: info.sha, changed, files };
}

/**
 * The name becomes a folder, whose files a download may replace: a hub must not choose it. Throws OperatorError for the name
 * of another repository.
 */
function nameOf(answered: unknown, reference: Reference): string {
  const { repository } = reference;
  if (typeof answered !== 'string') return repository;
  if (answered.toLowerCase() === repository.toLowerCase()) return answered;
  const isName = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/.test(answered);
  throw new OperatorError(
    `${showReference(reference)}: the hub describes another repository${isName ? `, ${answered}` : ''}. If yours was renamed, pull that one${isName ? `: decider models pull ${shellWord(showReference({ ...reference, repository: answered }))}` : ''}.`,
  );
}

/** The most responses of a hub that describe one repository. The hub lists 1,000 entries in each. */
export const RESPONSES_MAX = 200;
/** The most bytes of all these responses. */
export const RESPONSE_BYTES_MAX = 64 << 20;

/**
 * A `fetch` for the hub's library, which reads every response whole and follows pages for as long as the server names a next
 * one. Rejects with OperatorError for one response or byte too many, and as `fetch` does. `what`: the reference.
 */
function boundedFetch(fetch: typeof globalThis.fetch, what: string): typeof globalThis.fetch {
  let responses = 0;
  let bytes = 0;
  return async (input, init) => {
    responses += 1;
    if (responses > RESPONSES_MAX) throw tooMuch(what, `${RESPONSES_MAX} responses`);
    const response = await fetch(input, init);
    const parts: Uint8Array[] = [];
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += part.length;
      // Leaving the loop ends the connection.
      if (bytes > RESPONSE_BYTES_MAX) throw tooMuch(what, `${RESPONSE_BYTES_MAX >> 20} MiB`);
      parts.push(part);
    }
    const { status, headers } = response;
    return new Response(Buffer.concat(parts), { status, headers });
  };
}

const tooMuch = (what: string, bound: string) =>
  new OperatorError(
    `${what}: the description of the repository takes more than ${bound}. Check HF_ENDPOINT, or use a smaller repository.`,
  );
