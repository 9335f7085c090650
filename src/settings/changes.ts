import { pricesToJson } from './prices.js';
import { listSettings } from './read-settings.js';
import { SETTINGS, type Settings } from './settings.js';

/** A setting whose value differs. */
interface ChangedSetting {
  /** Dotted, as in the configuration file. */
  readonly key: string;
  /** Whether a running server can take over the new value. */
  readonly reloads: boolean;
}

/** The settings that differ between two configurations, in the order of the table. */
export function changedSettings(from: Settings, to: Settings): ChangedSetting[] {
  return listSettings(SETTINGS)
    .filter(({ key }) => comparable(from, key) !== comparable(to, key))
    .map(({ key, setting: { reloads = false } }) => ({ key, reloads }));
}

function comparable(settings: Settings, key: string): string {
  const [name, inner] = key.split('.') as [keyof Settings, string | undefined];
  const group: unknown = settings[name];
  const value = inner === undefined ? group : (group as Readonly<Record<string, unknown>>)[inner];
  return JSON.stringify(value instanceof Map ? pricesToJson(value) : value);
}
