import type { Api } from '../api/call-api.js';
import { ActionButton } from '../ui/action-button.js';
import { ConfirmTyped } from '../ui/confirm-typed.js';
import { ErrorNote } from '../ui/error-note.js';
import { useAction } from '../ui/use-action.js';
import { useQuestion } from '../ui/use-question.js';
import { useShown } from '../ui/use-shown.js';
import { inTurn } from './in-turn.js';
import { forgetLabels } from './label-uploads.js';
import { taskPath } from './loaded-task.js';

interface DeleteTaskProps {
  readonly api: Api;
  readonly name: string;
  readonly active: boolean;
  /** Called when a call has ended, also without an answer. */
  readonly onEnd: () => void;
}

/** Deletes a task after its name was typed. The view then shows the list alone. */
export function DeleteTask({ api, name, active, onEnd }: DeleteTaskProps) {
  const [asking, setAsking] = useQuestion(active, false);
  const action = useAction();
  const shown = useShown(active);
  const remove = async () => {
    // Without an answer, it may have been deleted.
    await inTurn(name, () => api.json(taskPath(name), { method: 'DELETE' })).finally(onEnd);
    forgetLabels(name);
    if (shown.current) location.hash = '/tasks';
    return 'The task is deleted.';
  };
  return (
    <>
      <ActionButton off={action.busy} onClick={() => setAsking(true)}>
        Delete the task
      </ActionButton>
      {asking && (
        <ConfirmTyped
          title="Delete the task with its versions, answers, labels and fits?"
          action="Delete it"
          label="Name of the task"
          typed={name}
          onConfirm={() => {
            setAsking(false);
            action.run(remove);
          }}
          onCancel={() => setAsking(false)}
        />
      )}
      {action.error !== null && <ErrorNote error={action.error} />}
    </>
  );
}
