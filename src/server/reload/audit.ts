import { type Settings, showSettings } from '../../settings/index.js';
import type { AuditFields } from '../../store/index.js';

/** What the audit log has of a reload: the settings that have changed, without secrets. `changed`: their keys. */
export function reloadFields(
  before: Settings,
  after: Settings,
  changed: readonly string[],
): { readonly before: AuditFields; readonly after: AuditFields } {
  const [old, now] = [fieldsOf(before, changed), fieldsOf(after, changed)];
  // A secret and the content of a certificate are not shown.
  const hidden = changed.filter((key) => old[key] === now[key]);
  return { before: old, after: { ...now, ...Object.fromEntries(hidden.map((key) => [key, 'changed'])) } };
}

function fieldsOf(settings: Settings, keys: readonly string[]): AuditFields {
  const shown = showSettings(settings);
  const settingOf = (key: string): unknown =>
    key
      .split('.')
      .reduce<unknown>((group, name) => (group as Readonly<Record<string, unknown>>)[name], shown);
  return Object.fromEntries(keys.map((key) => [key, JSON.stringify(settingOf(key)) ?? '']));
}
