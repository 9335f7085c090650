import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { CatalogBuild } from './catalog.js';
import { ModelError } from './manifest.js';

/**
 * Reads a build's whole files and compares their SHA-256 with the manifest's. Throws ModelError, or the signal's
 * reason.
 */
export async function verifyChecksum(build: CatalogBuild, stop?: AbortSignal): Promise<void> {
  await verifyFile(build, stop);
  if (build.projector !== null) await verifyFile(build.projector, stop);
}

async function verifyFile(
  { path, sha256 }: Pick<CatalogBuild, 'path' | 'sha256'>,
  stop?: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  try {
    const file = createReadStream(path, { highWaterMark: 4 << 20 });
    await (stop === undefined ? pipeline(file, hash) : pipeline(file, hash, { signal: stop }));
  } catch (error) {
    stop?.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    throw new ModelError(`${path}: ${code === 'ENOENT' ? 'no such file' : (error as Error).message}`);
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return;
  throw new ModelError(`${path}: its SHA-256 is ${digest}, not the manifest's ${sha256}`);
}
