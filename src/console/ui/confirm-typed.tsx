import { useState } from 'preact/hooks';
import { Confirm } from './confirm.js';
import { TextField } from './text-field.js';

interface ConfirmTypedProps {
  readonly title: string;
  readonly action: string;
  /** Of the field. */
  readonly label: string;
  /** What must be typed. */
  readonly typed: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** A modal question that is answered by typing a text again. */
export function ConfirmTyped({ title, action, label, typed, onConfirm, onCancel }: ConfirmTypedProps) {
  const [text, setText] = useState('');
  return (
    <Confirm title={title} action={action} off={text !== typed} onConfirm={onConfirm} onCancel={onCancel}>
      <TextField
        label={label}
        value={text}
        onChange={setText}
        hint={`Type ${typed} to confirm.`}
        wrong={text !== '' && !typed.startsWith(text)}
      />
    </Confirm>
  );
}
