import type { Task } from '../../client/index.js';
import type { Api } from '../api/call-api.js';
import { ActionButton } from '../ui/action-button.js';
import { Confirm } from '../ui/confirm.js';
import { ErrorNote } from '../ui/error-note.js';
import { whole } from '../ui/format-values.js';
import { useAction } from '../ui/use-action.js';
import { useQuestion } from '../ui/use-question.js';
import type { LoadedTask } from './loaded-task.js';
import { type OnChanged, promoteShadow, type SeenShadow } from './task-requests.js';

interface PromoteShadowProps {
  readonly api: Api;
  readonly name: string;
  readonly task: Task;
  readonly active: boolean;
  readonly onChanged: OnChanged;
}

/** A button that makes the shadow build the model of the task, after a question. */
export function PromoteShadow({ api, name, task, active, onChanged }: PromoteShadowProps) {
  const [asking, setAsking] = useQuestion<SeenShadow | null>(active, null);
  const action = useAction();
  const { version, shadow } = task;
  const build = shadow?.builds.shadow ?? null;
  // Without counts, the server refuses it.
  const isReady = build !== null && shadow !== null && shadow.since !== null;
  const promote = async (seen: SeenShadow) => {
    let promoted: LoadedTask | null = null;
    try {
      promoted = await promoteShadow(api, name, seen);
      return `${seen.model} was made the model of the task.`;
    } finally {
      // Also after an error: the shadow may have been promoted all the same.
      onChanged(promoted);
    }
  };
  return (
    <>
      <div class="row">
        {shadow !== null && (
          <ActionButton
            off={action.busy || !isReady}
            onClick={() => build !== null && setAsking({ version, model: build })}
          >
            Promote the shadow build…
          </ActionButton>
        )}
        <span role="status" class="muted">
          {action.done}
        </span>
      </div>
      {action.error !== null && <ErrorNote error={action.error} />}
      {asking !== null && (
        <Confirm
          title={`Make ${asking.model} the model of the task?`}
          action="Promote it"
          onConfirm={() => {
            setAsking(null);
            action.run(() => promote(asking));
          }}
          onCancel={() => setAsking(null)}
        >
          <p>
            It answers all requests from now on, as version {whole(asking.version + 1)} of the task, which has
            no shadow build, no labels and no fit yet: <code>accept</code> is <code>null</code> until it is
            fitted. A program that puts the task at each start must name this model from now on.
          </p>
        </Confirm>
      )}
    </>
  );
}
