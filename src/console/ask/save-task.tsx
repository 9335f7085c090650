import { useEffect, useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import type { Api } from '../api/call-api.js';
import { inTurn } from '../tasks/in-turn.js';
import { isTaskName, isToAsk, type LoadedTask } from '../tasks/loaded-task.js';
import { findTask, putTask } from '../tasks/task-requests.js';
import { ActionButton } from '../ui/action-button.js';
import { BrowserStore } from '../ui/browser-store.js';
import { Confirm } from '../ui/confirm.js';
import { ErrorNote } from '../ui/error-note.js';
import { TextField } from '../ui/text-field.js';
import { useAction } from '../ui/use-action.js';
import { useQuestion } from '../ui/use-question.js';
import type { Draft } from './ask-draft.js';
import { questionsOfDraft } from './request.js';

interface SaveTaskProps {
  readonly api: Api;
  readonly draft: Draft;
  /** Whether the view is visible. */
  readonly active: boolean;
  /** The task whose questions are edited; null: none was opened for that. */
  readonly edited: LoadedTask | null;
}

const NAME = new BrowserStore<string>('decider.task-name', 'tab', (stored) =>
  typeof stored === 'string' ? stored : null,
);

/** Whether a task is to be changed. */
interface Question {
  readonly found: LoadedTask;
  /** Whether the task has changed since the same question was answered. */
  readonly isAgain: boolean;
}

const DEFAULTS = { description: null, target_error: 0.05, confidence: 0.95, shadow: null };

/** Makes a task of the questions and the model of a request, or changes one after a question. */
export function SaveTask({ api, draft, active, edited }: SaveTaskProps) {
  const [name, setName] = useState(() => NAME.read() ?? '');
  const [before, setBefore] = useQuestion<Question | null>(active, null);
  const [saved, setSaved] = useState<string | null>(null);
  const action = useAction();
  const type = (text: string) => {
    setName(text);
    NAME.write(text);
  };
  useEffect(() => {
    if (edited !== null) type(edited.task.name);
  }, [edited]);
  const put = async (found: LoadedTask | null): Promise<string> => {
    const { model } = draft;
    const questions = questionsOfDraft(draft);
    const settings = found?.task ?? DEFAULTS;
    const { task } = await putTask(api, name, {
      ...settings,
      questions,
      model: model === '' ? null : model,
    });
    setSaved(name);
    return found?.task.version === task.version
      ? `Nothing has changed: version ${task.version} has these questions.`
      : `Saved as version ${task.version}.`;
  };
  /** `seen`: the task as it was when the user agreed to its change. Another change meanwhile is not reverted. */
  const save = async (seen: LoadedTask | null): Promise<string> => {
    setSaved(null);
    const questions = questionsOfDraft(draft);
    const found = await findTask(api, name);
    if (found === null || !isToAsk(found, seen, draft.model, questions)) return put(found);
    setBefore({ found, isAgain: seen !== null });
    return '';
  };
  const isRight = isTaskName(name);
  const version = before?.found.task.version ?? 0;
  return (
    <section class="panel" aria-labelledby="save-task-title">
      <div class="bar">
        <h2 id="save-task-title">Save as a task</h2>
      </div>
      <p class="muted">
        A task is these questions and this model under a name. It can be asked about many texts, learn from
        labels, and say which answers can be used without review.
      </p>
      <form
        class="save-task"
        aria-label="Task"
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight) action.run(() => inTurn(name, () => save(null)));
        }}
      >
        <TextField
          label="Name of the task"
          value={name}
          onChange={type}
          hint={`1 to ${LIMITS.customIdCharacters} letters, digits, _ . : or -`}
          wrong={name !== '' && !isRight}
        />
        <ActionButton once off={!isRight || action.busy}>
          Save as a task
        </ActionButton>
      </form>
      <p role="status" class="muted progress-line">
        {action.done}{' '}
        {saved !== null && action.done !== '' && <a href={`#/tasks/${saved}`}>Show the task {saved}</a>}
      </p>
      {action.error !== null && <ErrorNote error={action.error} />}
      {before !== null && (
        <Confirm
          title={`Change the task ${name}?`}
          action="Change the task"
          onConfirm={() => {
            setBefore(null);
            action.run(() => inTurn(name, () => save(before.found)));
          }}
          onCancel={() => setBefore(null)}
        >
          <p>
            {before.isAgain
              ? 'The task was changed meanwhile: it is now at'
              : 'There is a task of this name, with'}{' '}
            version {version}. These questions and this model become version {version + 1}, which has no
            labels and no fit yet: <code>accept</code> is <code>null</code> until it is fitted.
          </p>
        </Confirm>
      )}
    </section>
  );
}
