interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

let groups = 0;

/** A few alternatives side by side: radio buttons that look like one control. */
export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useGroup();
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map(([each, text]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

import { useState } from 'preact/hooks';

function useGroup(): string {
  const [name] = useState(() => {
    groups += 1;
    return `choice-${groups}`;
  });
  return name;
}
