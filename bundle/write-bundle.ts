// Writes a bundle as a folder, with its manifest.
import { join } from 'node:path';
import { BUNDLE_MANIFEST, VERSION } from '../src/base/index.js';
import { BUNDLE_FORMAT, type BundledFile, type BundleManifest } from '../src/cli/bundle-manifest.js';
import { writeFolder } from './archive.js';
import { type Collected, collect } from './collect.js';
import type { BundleOptions, Entry } from './contents.js';

/** A bundle that was written. */
export interface WrittenBundle {
  /** Of its folder. */
  readonly name: string;
  readonly glibc: string;
  readonly entries: readonly Entry[];
  /** The SHA-256 of its manifest. */
  readonly sha256: string;
}

/** Writes the folder of a bundle below `parent`; `root`: of the project. Throws OperatorError. */
export const writeBundle = async (
  root: string,
  parent: string,
  options: BundleOptions,
): Promise<WrittenBundle> => writeCollected(await collect(root, options), parent, options);

/** Writes what was collected, in the same way. */
export async function writeCollected(
  { name, platform, llama, glibc, entries }: Collected,
  parent: string,
  options: BundleOptions,
): Promise<WrittenBundle> {
  const manifest: BundleManifest = {
    format: BUNDLE_FORMAT,
    name,
    version: VERSION,
    platform,
    backend: options.backend,
    slim: options.slim,
    node: process.versions.node,
    llama,
    glibc,
    files: await writeFolder(join(parent, name), entries),
  };
  const entry: Entry = {
    path: BUNDLE_MANIFEST,
    mode: '0644',
    part: 'manifest, licenses',
    content: { text: `${JSON.stringify(manifest, null, 1)}\n` },
  };
  const [written] = (await writeFolder(join(parent, name), [entry])) as [BundledFile];
  return { name, glibc, entries: [...entries, entry], sha256: written.sha256 };
}
