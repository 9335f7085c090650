import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usableCores } from './control-groups.js';

/** The folder of this program: a clone, an installed package or a bundle. */
export const PROGRAM_FOLDER = fileURLToPath(
  import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 1),
);

const { version, engines } = JSON.parse(readFileSync(join(PROGRAM_FOLDER, 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
};

export { BUNDLE_MANIFEST, IS_BUNDLE } from '#native/platform.mjs';

/** The version of this program. */
export const VERSION = version;

/** The oldest supported version of Node.js. */
export const NODE_MIN = engines.node.replace('>=', '');

/** The processor and the cores that this process can use. */
export const processor = () => `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${usableCores()} cores`;

/** The machine in one line, for reports of measurements. */
export function machine(): string {
  return `${processor()}, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}
