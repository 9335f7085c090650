import { followAbort } from '../../base/index.js';
import type { BuildFiles } from './catalog.js';
import { fileVersions, requireUnchanged, verifyChecksum } from './model-file.js';

/**
 * Loads a build while its files are read for their checksums, which takes as long. Resolves with what `load` returned
 * once both have ended well, and the files are still those that were there at the beginning: each is read twice, at
 * different times.
 *
 * A wrong checksum aborts the signal that `load` gets, and is thrown whatever became of `load`: wrong files explain why
 * they do not load. Also throws what `load` throws, ModelError if a file has changed, or the reason of `stop`.
 */
export async function loadVerified<Loaded>(
  build: BuildFiles,
  stop: AbortSignal,
  load: (signal: AbortSignal) => Promise<Loaded>,
): Promise<Loaded> {
  const versions = fileVersions(build);
  const ending = new AbortController();
  const stay = followAbort(stop, ending);
  const verifying = verifyChecksum(build, stop);
  verifying.catch((error) => ending.abort(error));
  const [verified, loaded] = await Promise.allSettled([verifying, load(ending.signal)]);
  stay();
  stop.throwIfAborted();
  if (verified.status === 'rejected') throw verified.reason;
  if (loaded.status === 'rejected') throw loaded.reason;
  versions.forEach(requireUnchanged);
  return loaded.value;
}
