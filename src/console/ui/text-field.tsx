import { useId } from 'preact/hooks';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What the field means, or what is wrong with its text. */
  readonly hint: string;
  /** Whether the text cannot be sent. */
  readonly wrong?: boolean;
  readonly numeric?: boolean;
}

/** A field for a line of text, with a hint below it that keeps its height. */
export function TextField({ label, value, onChange, hint, wrong = false, numeric = false }: TextFieldProps) {
  const id = useId();
  return (
    <div class="text-field">
      <label>
        {label}
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          inputMode={numeric ? 'decimal' : undefined}
          value={value}
          aria-describedby={id}
          aria-invalid={wrong}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </label>
      <p id={id} class={wrong ? 'under warning' : 'under muted'}>
        {hint}
      </p>
    </div>
  );
}
