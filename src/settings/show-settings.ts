import { pricesToJson } from './prices.js';
import { listSettings } from './read-settings.js';
import { SETTINGS, type Settings } from './settings.js';

/** What is shown of a secret setting. */
const SET = '(set)';
const UNSET = '(not set)';

/** The settings in the form of the configuration file, for the operator. Secrets are not among them. */
export function showSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { key, setting } of listSettings(SETTINGS)) {
    const [name, inner] = key.split('.') as [keyof Settings, string | undefined];
    const group = settings[name];
    const value = inner === undefined ? group : (group as unknown as Record<string, unknown>)[inner];
    const text = setting.secret ? secret(value) : plain(value);
    if (inner === undefined) shown[name] = text;
    else shown[name] = { ...(shown[name] as object), [inner]: text };
  }
  return shown;
}

const secret = (value: unknown) => (value === '' ? UNSET : SET);

const plain = (value: unknown) => (value instanceof Map ? pricesToJson(value) : value);
