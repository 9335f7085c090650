import type { AuditFields, AuditRecord } from '../../access/index.js';
import { type Settings, showSettings } from '../../settings/index.js';

/** What a reload has changed. */
export interface ReloadChanges {
  /** The keys of the settings, `manifest` for the models and `tls` for the certificate. */
  readonly keys: readonly string[];
  /** `added`, `replaced` or `removed`, and the id of a build. */
  readonly builds: readonly string[];
}

/** What the audit log has of a reload: the settings that have changed, without secrets, and the builds. */
export function reloadRecord(before: Settings, next: Settings, { keys, builds }: ReloadChanges): AuditRecord {
  const [old, now] = [fieldsOf(before, keys), fieldsOf(next, keys)];
  // A secret, the content of a certificate and that of the manifest are not shown.
  const hidden = keys.filter((key) => old[key] === now[key]);
  const settings = { ...now, ...Object.fromEntries(hidden.map((key) => [key, 'changed'])) };
  const after = builds.length === 0 ? settings : { ...settings, builds: builds.join(', ') };
  // Without `before`, a reload that changes nothing has an entry too.
  return { action: 'settings.reload', ...(keys.length > 0 && { before: old }), after };
}

function fieldsOf(settings: Settings, keys: readonly string[]): AuditFields {
  const shown = showSettings(settings);
  const settingOf = (key: string): unknown =>
    key
      .split('.')
      .reduce<unknown>((group, name) => (group as Readonly<Record<string, unknown>>)[name], shown);
  return Object.fromEntries(keys.map((key) => [key, JSON.stringify(settingOf(key)) ?? '']));
}
