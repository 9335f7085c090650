import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { focusWrong, onAskKey, onAskSubmit } from '../ask/ask-keys.js';
import { ImagesPanel } from '../ask/images-panel.js';
import { isSame } from '../ask/kept-draft.js';
import { modelOfDraft } from '../ask/models.js';
import { OutcomePanel } from '../ask/outcome-panel.js';
import { buildTaskRequest } from '../ask/request.js';
import { StatePanel } from '../ask/state-panel.js';
import { UndoNote } from '../ask/undo-note.js';
import { useAsking } from '../ask/use-asking.js';
import { messageFor } from '../ask/wrong-field.js';
import { indented } from '../json/json-node.js';
import { ActionButton } from '../ui/action-button.js';
import { ErrorNote } from '../ui/error-note.js';
import { AsOf, type Source, Sourced } from '../ui/sourced.js';
import { type LoadedTask, taskPath } from './loaded-task.js';
import { useTaskDraft } from './use-task-draft.js';

interface TaskAskProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly name: string;
  readonly loaded: LoadedTask;
  /** Called after an answer, which the task has kept. */
  readonly onChanged: () => void;
}

/** Asks the questions of a task about a state. */
export function TaskAsk({ api, limits, name, loaded: { task, questions }, onChanged }: TaskAskProps) {
  const questionsJson = useMemo(() => indented(questions), [questions]);
  const written = useTaskDraft(name, { questionsJson, model: task.model ?? '' });
  const { draft } = written;
  const build = (asked: typeof draft) => buildTaskRequest(`${taskPath(name)}/decide`, asked);
  const { answered, failure, progress, run } = useAsking(api, draft, build, onChanged);
  const form = useRef<HTMLFormElement>(null);
  const model = modelOfDraft(draft, limits);
  // An edit may have corrected it.
  const wrong = failure !== null && isSame(failure.draft ?? draft, draft) ? failure : null;
  useEffect(() => {
    if (wrong !== null && form.current !== null) focusWrong(form.current);
  }, [failure]);
  const isOld =
    answered !== null &&
    !(isSame(answered.draft, draft) && answered.outcome.response.task?.version === task.version);
  const source: Source = { at: answered?.at ?? null, stale: isOld ? 'old' : 'no' };
  return (
    <section class="panel task-ask" aria-labelledby="task-ask-title" aria-busy={progress !== null}>
      <div class="bar">
        <h2 id="task-ask-title">Ask the task</h2>
        <AsOf source={source} />
      </div>
      <form
        ref={form}
        aria-label="State for the task"
        onKeyDownCapture={(event) => onAskKey(event, () => run(false))}
        onSubmit={onAskSubmit}
      >
        <StatePanel {...written} model={model} wrong={messageFor(wrong, 'state')} />
        {(model?.reads_images || draft.images.length > 0) && (
          <ImagesPanel {...written} wrong={messageFor(wrong, 'images')} />
        )}
        <UndoNote written={written} />
        <div class="actions">
          <ActionButton primary once off={progress !== null} title="Ctrl+Enter" onClick={() => run(false)}>
            Ask the task
          </ActionButton>
          <span class="muted">At the live price. The numbers of the answer are kept for labels.</span>
        </div>
      </form>
      <p role="status" class={isOld ? 'warning progress-line' : 'muted progress-line'}>
        {progress ?? (answered === null ? '' : isOld ? CHANGED : 'Answered.')}
      </p>
      {failure !== null && <ErrorNote error={failure.error} />}
      {answered !== null && (
        <Sourced source={source}>
          <OutcomePanel outcome={answered.outcome} limits={limits} />
        </Sourced>
      )}
    </section>
  );
}

const CHANGED = 'The state or the task has been changed since: these are the earlier answers.';
