import { TextField } from '../ui/text-field.js';

/** Characters of a name; the server decides. */
const NAME_CHARACTERS_MAX = 64;

/** Whether a field for a name can be sent; '': there is none. */
export const isName = (text: string): boolean => text.trim().length <= NAME_CHARACTERS_MAX;

/** The name in a field, for the server. */
export const nameOf = (text: string): string | null => (text.trim() === '' ? null : text.trim());

interface NameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Shown while the text can be sent. */
  readonly hint: string;
}

/** A field for the name of a workspace or a key. */
export const NameField = ({ label, value, onChange, hint }: NameFieldProps) => (
  <TextField
    label={label}
    value={value}
    onChange={onChange}
    hint={isName(value) ? hint : `A name has at most ${NAME_CHARACTERS_MAX} characters.`}
    wrong={!isName(value)}
  />
);
