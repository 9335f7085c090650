import { useEffect, useState } from 'preact/hooks';
import type { OperatorNewKey } from '../../../api/index.js';
import { ActionForm } from '../../ui/action-form.js';
import { TextField } from '../../ui/text-field.js';
import { useAction } from '../../ui/use-action.js';
import { NameField } from '../name-field.js';
import type { OperatorApi } from '../operator-api.js';
import { isName, nameOf } from '../typed-names.js';
import { WorkspaceField } from '../workspace-field.js';
import { makeKey } from './make-key.js';

interface CreateKeyProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  /** The workspace that is filled in; null: none. */
  readonly workspace: string | null;
  readonly onCreated: (created: OperatorNewKey) => void;
  /** Called when a call has ended, also without an answer. */
  readonly onEnd: () => void;
}

/** A form for a new key. */
export function CreateKey({ api, active, workspace, onCreated, onEnd }: CreateKeyProps) {
  const [owner, setOwner] = useState(workspace ?? '');
  const [expires, setExpires] = useState('365');
  const [name, setName] = useState('');
  const action = useAction();
  useEffect(() => setOwner(workspace ?? ''), [workspace]);
  const create = async () => {
    const body = { workspace: owner.trim(), expires: expires.trim(), name: nameOf(name) };
    onCreated(await makeKey(() => api.call('createKey', { body })).finally(onEnd));
    setName((now) => (now === name ? '' : now));
    return '';
  };
  return (
    <section class="panel" aria-labelledby="create-key-title">
      <h2 id="create-key-title">New key</h2>
      <ActionForm
        action={action}
        label="New key"
        button="Create the key"
        complete={owner.trim() !== '' && expires.trim() !== '' && isName(name)}
        onSubmit={() => action.run(create)}
      >
        <div class="forms">
          <div class="text-field">
            <WorkspaceField
              api={api}
              active={active}
              label="Workspace of the key"
              value={owner}
              onInput={setOwner}
            />
          </div>
          <NameField
            label="Name (optional)"
            value={name}
            onChange={setName}
            hint="Such as who uses it, and for what."
          />
          <TextField
            label="Lifetime"
            value={expires}
            onChange={setExpires}
            hint="A number of days, a last day such as 2027-01-31 (UTC), or never."
          />
        </div>
      </ActionForm>
    </section>
  );
}
