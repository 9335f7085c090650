import { useState } from 'preact/hooks';
import type { OperatorWorkspace } from '../../../api/index.js';
import { bytes } from '../../ui/format-values.js';
import { useAction } from '../../ui/use-action.js';
import { ActionForm } from '../action-form.js';
import { isWhole } from '../amounts.js';
import type { OperatorApi } from '../operator-api.js';
import { TextField } from '../text-field.js';

interface LimitsFormProps {
  readonly api: OperatorApi;
  readonly workspace: OperatorWorkspace;
  readonly onChanged: () => void;
}

const NOT_WHOLE = 'Enter a whole number, at least 1.';

/** A form for the limits of each key of a workspace. */
export function LimitsForm({ api, workspace, onChanged }: LimitsFormProps) {
  const [requests, setRequests] = useState(String(workspace.requests_per_minute));
  const [size, setSize] = useState(String(workspace.bytes_per_minute));
  const action = useAction();
  const save = async () => {
    await api.call('changeWorkspace', {
      id: workspace.id,
      body: { requests_per_minute: Number(requests), bytes_per_minute: Number(size) },
    });
    onChanged();
    return 'The limits are saved.';
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
            onChange={setRequests}
            hint={isWhole(requests) ? 'Further requests are refused with rate_limited.' : NOT_WHOLE}
            wrong={!isWhole(requests)}
            numeric
          />
          <TextField
            label="Request bytes per minute"
            value={size}
            onChange={setSize}
            hint={isWhole(size) ? bytes(Number(size)) : NOT_WHOLE}
            wrong={!isWhole(size)}
            numeric
          />
        </div>
      </ActionForm>
    </section>
  );
}
