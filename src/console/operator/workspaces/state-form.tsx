import type { OperatorWorkspace } from '../../../api/index.js';
import { ActionButton } from '../../ui/action-button.js';
import { ActionForm } from '../../ui/action-form.js';
import { ConfirmTyped } from '../../ui/confirm-typed.js';
import { ErrorNote } from '../../ui/error-note.js';
import { useAction } from '../../ui/use-action.js';
import { overtakenHint, useEdits } from '../../ui/use-edits.js';
import { useQuestion } from '../../ui/use-question.js';
import { NameField } from '../name-field.js';
import type { OperatorApi } from '../operator-api.js';
import { isName, nameOf } from '../typed-names.js';
import { type OnChanged, saveChange } from './save-change.js';

interface StateFormProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  readonly workspace: OperatorWorkspace;
  readonly onChanged: OnChanged;
}

/** Forms that name a workspace, close it and open it again. */
export const StateForm = (props: StateFormProps) => (
  <section class="panel" aria-labelledby="state-title">
    <h2 id="state-title">Name and state</h2>
    <RenameForm {...props} />
    <CloseForm {...props} />
  </section>
);

function RenameForm({ api, workspace, onChanged }: StateFormProps) {
  const { id, version } = workspace;
  const edits = useEdits(`name.${id}`, { name: workspace.name ?? '' });
  const { name } = edits.values;
  const action = useAction();
  const save = () =>
    saveChange(api, id, { name: nameOf(name), version }, edits, onChanged, 'The name is saved.');
  return (
    <ActionForm
      action={action}
      label="Name of the workspace"
      button="Save the name"
      complete={isName(name)}
      onSubmit={() => action.run(save)}
    >
      <NameField
        label="Name of the workspace"
        value={name}
        onChange={(text) => edits.edit('name', text)}
        hint={
          overtakenHint(edits, 'name', workspace.name ?? 'none') ??
          'For people; empty: no name. The id stays.'
        }
      />
    </ActionForm>
  );
}

function CloseForm({ api, active, workspace: { id, closed }, onChanged }: StateFormProps) {
  const [confirming, setConfirming] = useQuestion(active, false);
  const action = useAction();
  const change = (name: 'closeWorkspace' | 'reopenWorkspace', done: string) =>
    action.run(async () => {
      let changed: OperatorWorkspace | null = null;
      try {
        changed = await api.call(name, { id });
        return done;
      } finally {
        onChanged(changed);
      }
    });
  return (
    <>
      <p class="muted">
        {closed === null
          ? 'Closed, its keys are refused at once and its open batches fail. Usage and charges stay, and it can be opened again.'
          : 'Opened again, its keys work as before. Batches that have ended stay so.'}
      </p>
      <div class="row">
        {closed === null ? (
          <ActionButton off={action.busy} onClick={() => setConfirming(true)}>
            Close the workspace…
          </ActionButton>
        ) : (
          <ActionButton off={action.busy} onClick={() => change('reopenWorkspace', `${id} is open again.`)}>
            Open the workspace again
          </ActionButton>
        )}
        <span role="status" class="muted">
          {action.done}
        </span>
      </div>
      {action.error !== null && <ErrorNote error={action.error} />}
      {confirming && (
        <ConfirmTyped
          title={`Close ${id}?`}
          action="Close the workspace"
          label="The id of the workspace"
          typed={id}
          onConfirm={() => {
            setConfirming(false);
            change('closeWorkspace', `${id} is closed.`);
          }}
          onCancel={() => setConfirming(false)}
        />
      )}
    </>
  );
}
