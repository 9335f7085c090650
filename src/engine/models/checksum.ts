import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { CatalogBuild } from './catalog.js';
import { ModelError } from './manifest.js';

/**
 * Reads a build's whole file and compares its SHA-256 with the manifest's. Throws ModelError, or the signal's
 * reason.
 */
export async function verifyChecksum(build: CatalogBuild, stop?: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  try {
    const file = createReadStream(build.path, { highWaterMark: 4 << 20 });
    await (stop === undefined ? pipeline(file, hash) : pipeline(file, hash, { signal: stop }));
  } catch (error) {
    stop?.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    throw new ModelError(`${build.path}: ${code === 'ENOENT' ? 'no such file' : (error as Error).message}`);
  }
  const digest = hash.digest('hex');
  if (digest === build.sha256) return;
  throw new ModelError(`${build.path}: its SHA-256 is ${digest}, not the manifest's ${build.sha256}`);
}
