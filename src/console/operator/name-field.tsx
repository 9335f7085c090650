import { TextField } from '../ui/text-field.js';
import { isName, NAME_CHARACTERS_MAX } from './typed-names.js';

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
