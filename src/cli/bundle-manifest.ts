import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BUNDLE_MANIFEST,
  isArrayOf,
  isBoolean,
  isCount,
  isObjectOf,
  isOneOf,
  isString,
  matches,
  OperatorError,
  type ValueOf,
} from '../base/index.js';

/** Of the manifest. Another format means that another version of the program made the bundle. */
export const BUNDLE_FORMAT = 1;
/** A bundle has about 3,000 files of 150 bytes each here. */
export const MANIFEST_BYTES_MAX = 16 * 2 ** 20;

const isManifest = isObjectOf({
  format: isCount,
  /** The folder in the archive, such as `decider-0.1.0-linux-x64-cpu`. */
  name: isString,
  version: isString,
  platform: isString,
  backend: isString,
  slim: isBoolean,
  /** The versions of Node.js and of llama.cpp. */
  node: isString,
  llama: isString,
  /** The least version of glibc, such as `2.34`. */
  glibc: isString,
  /** Every file but the manifest itself, in the order of their paths. */
  files: isArrayOf(
    isObjectOf({
      /** Relative to the folder of the bundle. */
      path: isString,
      /** The permission bits, octal. */
      mode: isOneOf('0644', '0755'),
      /** Bytes. */
      size: isCount,
      sha256: matches(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** The manifest of a bundle. */
export type BundleManifest = ValueOf<typeof isManifest>;
export type BundledFile = BundleManifest['files'][number];

/** The manifest in the folder of a bundle, and the SHA-256 of its bytes. Throws OperatorError. */
export function readBundleManifest(folder: string): { manifest: BundleManifest; sha256: string } {
  const file = join(folder, BUNDLE_MANIFEST);
  const bytes = readBounded(file, folder);
  let manifest: unknown;
  try {
    manifest = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new OperatorError(`${file} is not valid JSON.`);
  }
  const format = (manifest as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format !== BUNDLE_FORMAT)
    throw new OperatorError(
      `${file} has the format ${format}, and this version of decider reads ${BUNDLE_FORMAT}. Use the decider of that bundle.`,
    );
  if (!isManifest(manifest)) throw new OperatorError(`${file} is not the manifest of a bundle.`);
  return { manifest, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function readBounded(file: string, folder: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > MANIFEST_BYTES_MAX)
      throw new OperatorError(`${file} has ${size} bytes, more than ${MANIFEST_BYTES_MAX}.`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new OperatorError(`${file}: ${message}`);
    throw new OperatorError(
      `${folder} has no ${BUNDLE_MANIFEST}: it is not the folder of a bundle. Name one.`,
    );
  }
}
