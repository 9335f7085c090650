import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { CatalogBuild } from './catalog.js';
import { ModelError } from './manifest.js';

/** Reads a build's whole file and compares its SHA-256 with the manifest's. Throws ModelError. */
export async function verifyChecksum(build: CatalogBuild): Promise<void> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(build.path, { highWaterMark: 4 << 20 }), hash);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ModelError(`${build.path}: ${code === 'ENOENT' ? 'no such file' : (error as Error).message}`);
  }
  const digest = hash.digest('hex');
  if (digest === build.sha256) return;
  throw new ModelError(`${build.path}: its SHA-256 is ${digest}, not the manifest's ${build.sha256}`);
}
