import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this program. */
export const VERSION = version;

/** The machine in one line, for reports of measurements. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${model}, ${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}
