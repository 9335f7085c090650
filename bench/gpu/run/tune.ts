import { join } from 'node:path';
import { OperatorError } from '../../../src/base/index.js';
import { runCommand } from './command.js';
import type { Kit } from './kit.js';

/**
 * `decider tune` with the models of a folder; undefined: the embedded one. It exits with status 1 where it recommends
 * nothing, and its report says why.
 */
export async function tuneModel(
  kit: Kit,
  models: string | undefined,
  minutes: number,
  stop: AbortSignal,
): Promise<unknown> {
  const own = {
    DECIDER_DATA: kit.folder('no-data'),
    ...(models === undefined ? {} : { DECIDER_MODELS: models }),
  };
  const args = ['tune', '--json', '--goal', 'throughput', '--minutes', String(minutes)];
  const { stdout, tail } = await runCommand(process.execPath, [join(kit.root, 'bin/decider.mjs'), ...args], {
    folder: kit.root,
    variables: kit.variables(own),
    stop,
  });
  if (stdout.startsWith('{')) return JSON.parse(stdout);
  throw new OperatorError(`decider tune printed no report:\n${tail}`);
}
