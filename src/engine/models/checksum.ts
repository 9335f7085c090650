import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { CatalogBuild } from './catalog.js';
import { type FileVersion, openModelFile } from './file.js';
import { ModelError } from './manifest.js';

/**
 * Reads a build's whole files and compares their SHA-256 with the manifest's. Returns the versions that it read.
 * Throws ModelError, or the signal's reason.
 */
export async function verifyChecksum(build: CatalogBuild, stop?: AbortSignal): Promise<FileVersion[]> {
  const model = await verifyFile(build, stop);
  return build.projector === null ? [model] : [model, await verifyFile(build.projector, stop)];
}

async function verifyFile(
  { path, sha256 }: Pick<CatalogBuild, 'path' | 'sha256'>,
  stop?: AbortSignal,
): Promise<FileVersion> {
  const { handle, version } = await openModelFile(path);
  const hash = createHash('sha256');
  try {
    const file = handle.createReadStream({ highWaterMark: 4 << 20 });
    await (stop === undefined ? pipeline(file, hash) : pipeline(file, hash, { signal: stop }));
  } catch (error) {
    stop?.throwIfAborted();
    throw new ModelError(`${path}: ${(error as Error).message}`);
  }
  const digest = hash.digest('hex');
  if (digest === sha256) return { path, version };
  throw new ModelError(`${path}: its SHA-256 is ${digest}, not the manifest's ${sha256}`);
}
