import { statSync } from 'node:fs';
import { foreignOwner } from '../base/index.js';
import { configFile, valuesInFile } from './read-settings.js';
import { SETTINGS } from './settings.js';

/** What all users may do with a file. */
const ALL_USERS = 0o007;
/** `store.url` is a secret only with a password. */
const WITH_PASSWORD = /^[^/]+:\/\/[^/?]*:[^/?]*@|[?&]password=/;

/** A configuration file that shows secrets to all users, or to a foreign owner. */
interface OpenSecrets {
  readonly detail: string;
  readonly remedy: string;
}

/** Null: the configuration file has no secrets, or no other users can access it. Throws SettingsError as `loadSettings` does. */
export function openSecrets(
  variables: Readonly<Record<string, string | undefined>>,
  config?: string,
): OpenSecrets | null {
  const file = configFile(variables, config);
  if (file === undefined) return null;
  const found = statSync(file, { throwIfNoEntry: false });
  // A pipe cannot be read again, and no other user can open it.
  if (!found?.isFile()) return null;
  const secrets = valuesInFile(file, SETTINGS)
    .filter(({ key, setting, value }) => setting.secret && isSecret(key, value))
    .map(({ key }) => key);
  if (secrets.length === 0) return null;
  const owner = foreignOwner(file);
  if (owner !== null) {
    return {
      detail: `${secrets.join(', ')}: ${file} belongs to user ${owner}.`,
      remedy: 'Change its owner to root or the user of the server.',
    };
  }
  if ((found.mode & ALL_USERS) === 0) return null;
  return {
    detail: `${secrets.join(', ')}: ${file} is accessible to all users.`,
    remedy: 'Change its mode to 0600 or 0640.',
  };
}

const isSecret = (key: string, value: unknown): boolean =>
  typeof value === 'string' && value !== '' && (key !== 'store.url' || WITH_PASSWORD.test(value));
