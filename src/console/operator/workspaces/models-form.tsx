import { useState } from 'preact/hooks';
import type { OperatorModel, OperatorWorkspace } from '../../../api/index.js';
import { useAction } from '../../ui/use-action.js';
import { ActionForm } from '../action-form.js';
import type { OperatorApi } from '../operator-api.js';

interface ModelsFormProps {
  readonly api: OperatorApi;
  readonly workspace: OperatorWorkspace;
  readonly models: readonly OperatorModel[];
  readonly onChanged: () => void;
}

/** A form for the models that a workspace may use. */
export function ModelsForm({ api, workspace, models, onChanged }: ModelsFormProps) {
  const [chosen, setChosen] = useState<readonly string[] | null>(workspace.models);
  const action = useAction();
  // The workspace may name models that the manifest no longer has.
  const gone = (workspace.models ?? []).filter((name) => !models.some(({ id }) => id === name));
  const names = [...models.map(({ id }) => id), ...gone];
  const save = async () => {
    await api.call('changeWorkspace', {
      id: workspace.id,
      body: { models: chosen, force: gone.length > 0 },
    });
    onChanged();
    return 'The models are saved.';
  };
  const toggle = (name: string, on: boolean) =>
    setChosen((before) => names.filter((each) => (each === name ? on : (before ?? []).includes(each))));
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
        {chosen?.length === 0 && (
          <p class="warning">Choose at least one model. To stop a workspace, revoke its keys.</p>
        )}
      </ActionForm>
    </section>
  );
}
