import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { BrowserStore } from './browser-store.js';
import { isEdit, type KeptEdits, withoutSaved } from './kept-edits.js';

type Texts = Readonly<Record<string, string>>;
type Name<Values> = keyof Values & string;

/** The fields of a form over values that may change meanwhile. */
export interface Edits<Values extends Texts> {
  /** What the fields show: the edits, and the current values of the fields that were not edited. */
  readonly values: Values;
  /** The fields that differ from their current values. */
  readonly changed: Partial<Values>;
  /** Whether a field that is edited has got another value since the edit began, which is not that of the edit. */
  readonly isOvertaken: (name: Name<Values>) => boolean;
  readonly edit: (name: Name<Values>, value: string) => void;
  /** Forgets the edits that are saved: those with these values. Others were made while the save was in progress. */
  readonly clear: (saved: Partial<Values>) => void;
}

const readKept = (stored: unknown): KeptEdits | null => {
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
  const store = new BrowserStore<KeptEdits>(`decider.form.${form}`, 'tab', readKept);
  const [edits, setEdits] = useState<KeptEdits>(() => store.read() ?? {});
  // What is called after a wait sees the edits that were made meanwhile.
  const latest = useRef(edits);
  const isShown = useRef(true);
  // Layout effects end before the key is forgotten.
  useLayoutEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const write = (next: KeptEdits) => store.write(Object.keys(next).length === 0 ? null : next);
  const keep = (change: (before: KeptEdits) => KeptEdits) => {
    if (isShown.current) {
      latest.current = change(latest.current);
      setEdits(latest.current);
      write(latest.current);
      return;
    }
    // A save has ended after its form. What was forgotten with the key meanwhile is not kept again.
    const kept = store.read();
    if (kept !== null) write(change(kept));
  };
  const editOf = (name: string, of = edits) => (Object.hasOwn(of, name) ? of[name] : undefined);
  const names = Object.keys(current);
  const values = Object.fromEntries(names.map((name) => [name, editOf(name)?.value ?? current[name]]));
  return {
    values: values as Values,
    changed: Object.fromEntries(
      Object.entries(values).filter(([name, value]) => value !== current[name]),
    ) as Partial<Values>,
    isOvertaken(name) {
      const edit = editOf(name);
      return edit !== undefined && edit.before !== current[name] && edit.value !== current[name];
    },
    edit: (name, value) =>
      keep((kept) => {
        const before = editOf(name, kept)?.before ?? (current[name] as string);
        const { [name]: _, ...others } = kept;
        return value === current[name] ? others : { ...others, [name]: { value, before } };
      }),
    clear: (saved) => keep((kept) => withoutSaved(kept, saved as Texts)),
  };
}

/** The hint of a field that somebody else has changed since its edit began; null for any other. */
export const overtakenHint = <Name extends string>(
  edits: { isOvertaken(name: Name): boolean },
  name: Name,
  current: string,
): string | null =>
  edits.isOvertaken(name) ? `Changed meanwhile: it is ${current} now. Saving replaces it.` : null;
