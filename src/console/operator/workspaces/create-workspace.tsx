import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.js';
import { TextField } from '../../ui/text-field.js';
import { useAction } from '../../ui/use-action.js';
import { useShown } from '../../ui/use-shown.js';
import { NameField } from '../name-field.js';
import type { OperatorApi } from '../operator-api.js';
import { isName, nameOf } from '../typed-names.js';

interface CreateWorkspaceProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  /** Called when a call has ended, also without an answer. */
  readonly onEnd: () => void;
}

/** A form for a new workspace, which is then shown. */
export function CreateWorkspace({ api, active, onEnd }: CreateWorkspaceProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const action = useAction();
  const shown = useShown(active);
  const create = async () => {
    // Without an answer, it may have been made.
    const created = await api.call('createWorkspace', { body: { id, name: nameOf(name) } }).finally(onEnd);
    setId((now) => (now === id ? '' : now));
    setName((now) => (now === name ? '' : now));
    if (shown.current) location.hash = `/workspaces/${created.id}`;
    return `${created.id} is created. It has no credit yet.`;
  };
  return (
    <section class="panel" aria-labelledby="create-workspace-title">
      <h2 id="create-workspace-title">New workspace</h2>
      <ActionForm
        action={action}
        label="New workspace"
        button="Create the workspace"
        complete={id !== '' && isName(name)}
        onSubmit={() => action.run(create)}
      >
        <TextField
          label="Id"
          value={id}
          onChange={setId}
          hint="1 to 64 lower-case letters, digits, _ or -. It cannot be changed later."
        />
        <NameField
          label="Name (optional)"
          value={name}
          onChange={setName}
          hint="For people. It can be changed later."
        />
      </ActionForm>
    </section>
  );
}
