/** An edited field, with the value that it had. */
interface Edit {
  readonly value: string;
  readonly before: string;
}

/** Edits by the name of their field. */
export type KeptEdits = Readonly<Record<string, Edit>>;

export const isEdit = (value: unknown): value is Edit => {
  const { value: text, before } = (value ?? {}) as Record<string, unknown>;
  return typeof text === 'string' && typeof before === 'string';
};

/** The edits that are left once values are saved: those of other fields, and those that were made after the save began. */
export function withoutSaved(edits: KeptEdits, saved: Readonly<Record<string, string>>): KeptEdits {
  const left = Object.entries(edits).flatMap(([name, edit]) => {
    const before = Object.hasOwn(saved, name) ? (saved[name] as string) : edit.before;
    return edit.value === before ? [] : [[name, { value: edit.value, before }] as const];
  });
  return Object.fromEntries(left);
}
