import { spawnSync } from 'node:child_process';
import { ROOT } from './sources.js';

/** Runs promtool in the folder of the project. */
export const promtool = (args: readonly string[], input = '') =>
  spawnSync('promtool', args, { cwd: ROOT, encoding: 'utf8', input });

const isMissing = promtool(['--version']).error !== undefined;

/** Why promtool cannot be run here; false where it can. Where CI runs, it must be there. */
export const promtoolMissing =
  isMissing && process.env.CI === undefined ? 'PROMTOOL IS NOT INSTALLED: apt-get install prometheus' : false;
