import { useEffect, useState } from 'preact/hooks';
import type { OperatorNewKey } from '../../../api/index.js';
import { useAction } from '../../ui/use-action.js';
import { ActionForm } from '../action-form.js';
import { isName, NameField, nameOf } from '../names.js';
import type { OperatorApi } from '../operator-api.js';
import { TextField } from '../text-field.js';

interface CreateKeyProps {
  readonly api: OperatorApi;
  /** The ids of all workspaces. */
  readonly workspaces: readonly string[];
  /** The workspace that is selected first; null: the first one. */
  readonly workspace: string | null;
  readonly onCreated: (created: OperatorNewKey) => void;
}

/** A form for a new key. */
export function CreateKey({ api, workspaces, workspace, onCreated }: CreateKeyProps) {
  const [chosen, setChosen] = useState(workspace);
  const [expires, setExpires] = useState('365');
  const [name, setName] = useState('');
  const action = useAction();
  useEffect(() => setChosen(workspace), [workspace]);
  const owner = chosen ?? workspaces[0];
  const create = async () => {
    const body = { workspace: owner ?? '', expires: expires.trim(), name: nameOf(name) };
    onCreated(await api.call('createKey', { body }));
    setName('');
    return '';
  };
  return (
    <section class="panel" aria-labelledby="create-key-title">
      <h2 id="create-key-title">New key</h2>
      {owner === undefined ? (
        <p class="empty">
          A key belongs to a workspace. <a href="#/workspaces">Create a workspace</a> first.
        </p>
      ) : (
        <ActionForm
          action={action}
          label="New key"
          button="Create the key"
          complete={expires.trim() !== '' && isName(name)}
          onSubmit={() => action.run(create)}
        >
          <div class="forms">
            <label>
              Workspace
              <select value={owner} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                {workspaces.map((id) => (
                  <option key={id}>{id}</option>
                ))}
              </select>
            </label>
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
      )}
    </section>
  );
}
