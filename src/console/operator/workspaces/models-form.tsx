import type { OperatorModel, OperatorWorkspace } from '../../../api/index.js';
import { ActionForm } from '../../ui/action-form.js';
import { useAction } from '../../ui/use-action.js';
import { overtakenHint, useEdits } from '../../ui/use-edits.js';
import type { OperatorApi } from '../operator-api.js';
import { type OnChanged, saveChange } from './save-change.js';

interface ModelsFormProps {
  readonly api: OperatorApi;
  readonly workspace: OperatorWorkspace;
  readonly models: readonly OperatorModel[];
  readonly onChanged: OnChanged;
}

/** The names of a field; null: all models. */
const namesOf = (field: string): readonly string[] | null => {
  const names: unknown = JSON.parse(field);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null;
};

/** A form for the models that a workspace may use. */
export function ModelsForm({ api, workspace, models, onChanged }: ModelsFormProps) {
  const { id, version } = workspace;
  const edits = useEdits(`models.${id}`, { models: JSON.stringify(workspace.models) });
  const chosen = namesOf(edits.values.models);
  const setChosen = (next: readonly string[] | null) => edits.edit('models', JSON.stringify(next));
  const action = useAction();
  // The workspace, or an edit, may name models that the manifest no longer has.
  const gone = [...new Set([...(workspace.models ?? []), ...(chosen ?? [])])].filter(
    (name) => !models.some((model) => model.id === name),
  );
  const names = [...models.map((model) => model.id), ...gone];
  const save = () =>
    saveChange(
      api,
      id,
      { models: chosen, force: gone.length > 0, version },
      edits,
      onChanged,
      'The models are saved.',
    );
  const toggle = (name: string, on: boolean) =>
    setChosen(names.filter((each) => (each === name ? on : (chosen ?? []).includes(each))));
  const now = workspace.models === null ? 'all models' : workspace.models.join(', ');
  const overtaken = overtakenHint(edits, 'models', now);
  return (
    <section class="panel" aria-labelledby="workspace-models-title">
      <h2 id="workspace-models-title">Models</h2>
      <ActionForm
        action={action}
        label="Models"
        button="Save the models"
        complete={chosen?.length !== 0}
        onSubmit={() => action.run(save)}
      >
        <label class="check">
          <input
            type="checkbox"
            checked={chosen === null}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked ? null : names)}
          />
          All models, those added later too
        </label>
        <fieldset class="checks" disabled={chosen === null}>
          <legend class="hidden">Models that the workspace may use</legend>
          {names.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen === null || chosen.includes(name)}
                onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
              />
              {name}
              {gone.includes(name) && <span class="warning">not in the manifest</span>}
            </label>
          ))}
        </fieldset>
        {overtaken !== null && <p class="warning">{overtaken}</p>}
        {chosen?.length === 0 && (
          <p class="warning">Choose at least one model. To stop a workspace, close it.</p>
        )}
      </ActionForm>
    </section>
  );
}
