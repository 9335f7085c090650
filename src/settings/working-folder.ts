import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import { IS_BUNDLE, PROGRAM_FOLDER } from '../base/index.js';
import { SettingsError } from './read-settings.js';

/** Where this process runs. A parameter, so that tests can replace it. */
interface Place {
  readonly current: string;
  /** The folder of the bundle that runs; null: a clone or an installed package. */
  readonly bundle: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws if the user has none. */
  home(): string;
}

const here: Place = {
  get current() {
    return process.cwd();
  },
  bundle: IS_BUNDLE ? realpathSync(PROGRAM_FOLDER) : null,
  environment: process.env,
  home: homedir,
};

/**
 * The folder of `data` and `models` if no setting names them: the current folder, `.`. Nothing is written to the folder
 * of a bundle, which may be read-only and whose files can be verified: there, it is the folder for the state of programs
 * of this user, or null if this user has no home folder.
 */
export function workingFolder({ current, bundle, environment, home }: Place = here): string | null {
  if (bundle === null || !isInside(current, bundle)) return '.';
  const given = environment.XDG_STATE_HOME ?? '';
  if (isAbsolute(given)) return join(given, 'decider');
  try {
    return join(home(), '.local/state/decider');
  } catch {
    return null;
  }
}

/** The folder of a setting that is not set: `name` in the working folder. Throws SettingsError if there is none. */
export function inWorkingFolder(name: 'data' | 'models', folder = workingFolder()): string {
  if (folder !== null) return `${folder}/${name}`;
  throw new SettingsError(
    `${name} is not set, and this user has no home folder. Set ${name} (DECIDER_${name.toUpperCase()}).`,
  );
}

function isInside(folder: string, outer: string): boolean {
  const path = relative(outer, folder);
  return path !== '..' && !path.startsWith(`..${sep}`);
}
