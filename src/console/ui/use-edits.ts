import { useState } from 'preact/hooks';
import { BrowserStore } from './browser-store.js';

type Texts = Readonly<Record<string, string>>;
type Name<Values> = keyof Values & string;

/** The fields of a form over values that may change meanwhile. */
export interface Edits<Values extends Texts> {
  /** What the fields show: the edits, and the current values of the fields that were not edited. */
  readonly values: Values;
  /** The fields that differ from their current values. */
  readonly changed: Partial<Values>;
  /** Whether a field that is edited has got another value since the edit began. */
  readonly isOvertaken: (name: Name<Values>) => boolean;
  readonly edit: (name: Name<Values>, value: string) => void;
  /** Forgets the edits: they are saved. */
  readonly clear: () => void;
}

/** An edited field, with the value that it had. */
interface Edit {
  readonly value: string;
  readonly before: string;
}

type Kept = Readonly<Record<string, Edit>>;

const isEdit = (value: unknown): value is Edit => {
  const { value: text, before } = (value ?? {}) as Record<string, unknown>;
  return typeof text === 'string' && typeof before === 'string';
};

const readKept = (stored: unknown): Kept | null => {
  if (typeof stored !== 'object' || stored === null) return null;
  return Object.fromEntries(Object.entries(stored).filter(([, each]) => isEdit(each)));
};

/**
 * The edits of a form, kept until the tab is closed. Fields that are not edited follow their values.
 *
 * @param form a name of the form, different from those of all other forms
 * @param current the values by name, as they were last read
 */
export function useEdits<Values extends Texts>(form: string, current: Values): Edits<Values> {
  const store = new BrowserStore<Kept>(`decider.form.${form}`, 'tab', readKept);
  const [edits, setEdits] = useState<Kept>(() => store.read() ?? {});
  const keep = (next: Kept) => {
    setEdits(next);
    store.write(Object.keys(next).length === 0 ? null : next);
  };
  const editOf = (name: string): Edit | undefined => (Object.hasOwn(edits, name) ? edits[name] : undefined);
  const names = Object.keys(current);
  const values = Object.fromEntries(names.map((name) => [name, editOf(name)?.value ?? current[name]]));
  return {
    values: values as Values,
    changed: Object.fromEntries(
      Object.entries(values).filter(([name, value]) => value !== current[name]),
    ) as Partial<Values>,
    isOvertaken(name) {
      const before = editOf(name)?.before;
      return before !== undefined && before !== current[name];
    },
    edit(name, value) {
      const before = editOf(name)?.before ?? (current[name] as string);
      const { [name]: _, ...others } = edits;
      keep(value === current[name] ? others : { ...others, [name]: { value, before } });
    },
    clear: () => keep({}),
  };
}

/** The hint of a field that somebody else has changed since its edit began; null for any other. */
export const overtakenHint = <Name extends string>(
  edits: { isOvertaken(name: Name): boolean },
  name: Name,
  current: string,
): string | null =>
  edits.isOvertaken(name) ? `Changed meanwhile: it is ${current} now. Saving replaces it.` : null;
