import type { OperatorWorkspace } from '../../../api/index.js';
import { ActionForm } from '../../ui/action-form.js';
import { bytes } from '../../ui/format-values.js';
import { TextField } from '../../ui/text-field.js';
import { useAction } from '../../ui/use-action.js';
import { overtakenHint, useEdits } from '../../ui/use-edits.js';
import { isWhole } from '../amounts.js';
import type { OperatorApi } from '../operator-api.js';
import { type OnChanged, saveChange } from './save-change.js';

interface LimitsFormProps {
  readonly api: OperatorApi;
  readonly workspace: OperatorWorkspace;
  readonly onChanged: OnChanged;
}

const NOT_WHOLE = 'Enter a whole number, at least 1.';

/** A form for the limits of each key of a workspace. */
export function LimitsForm({ api, workspace, onChanged }: LimitsFormProps) {
  const { id, version } = workspace;
  const edits = useEdits(`limits.${id}`, {
    requests_per_minute: String(workspace.requests_per_minute),
    bytes_per_minute: String(workspace.bytes_per_minute),
  });
  const { requests_per_minute: requests, bytes_per_minute: size } = edits.values;
  const action = useAction();
  const save = () => {
    const changed = Object.entries(edits.changed).map(([name, text]) => [name, Number(text)] as const);
    return saveChange(
      api,
      id,
      { ...Object.fromEntries(changed), version },
      edits,
      onChanged,
      'The limits are saved.',
    );
  };
  const hint = (name: 'requests_per_minute' | 'bytes_per_minute', normal: string): string => {
    if (!isWhole(edits.values[name])) return NOT_WHOLE;
    return overtakenHint(edits, name, String(workspace[name])) ?? normal;
  };
  return (
    <section class="panel" aria-labelledby="limits-title">
      <h2 id="limits-title">Limits of each key</h2>
      <ActionForm
        action={action}
        label="Limits"
        button="Save the limits"
        complete={isWhole(requests) && isWhole(size)}
        onSubmit={() => action.run(save)}
      >
        <div class="forms">
          <TextField
            label="Requests per minute"
            value={requests}
            onChange={(text) => edits.edit('requests_per_minute', text)}
            hint={hint('requests_per_minute', 'Further requests are refused with rate_limited.')}
            wrong={!isWhole(requests)}
            numeric
          />
          <TextField
            label="Request bytes per minute"
            value={size}
            onChange={(text) => edits.edit('bytes_per_minute', text)}
            hint={hint('bytes_per_minute', bytes(Number(size)))}
            wrong={!isWhole(size)}
            numeric
          />
        </div>
      </ActionForm>
    </section>
  );
}
