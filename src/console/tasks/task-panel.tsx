import { useEffect, useRef } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { LoadNote } from '../ui/loading.js';
import { Renew, Sourced } from '../ui/sourced.js';
import { useLoad } from '../ui/use-load.js';
import { DeleteTask } from './delete-task.js';
import { DriftPanel } from './drift-panel.js';
import { FitPanel } from './fit-panel.js';
import { LabelsPanel } from './labels-panel.js';
import type { LoadedTask } from './loaded-task.js';
import { ShadowPanel } from './shadow-panel.js';
import { TaskAsk } from './task-ask.js';
import { TaskFacts } from './task-facts.js';
import { TaskQuestions } from './task-questions.js';
import { loadTask, type OnChanged } from './task-requests.js';
import { TaskSettings } from './task-settings.js';

interface TaskPanelProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly name: string;
  readonly active: boolean;
  /** How many changes of tasks have ended: after each, the task is read again. */
  readonly changes: number;
  /** Called when a change has ended, also without an answer. */
  readonly onChanged: () => void;
  /** Called when the deletion has ended, also without an answer. */
  readonly onDeleted: () => void;
  readonly onEdit: (task: LoadedTask) => void;
}

/** One task: what it asks, what is known about its answers, and everything that can be done with it. */
export function TaskPanel({
  api,
  limits,
  name,
  active,
  changes,
  onChanged,
  onDeleted,
  onEdit,
}: TaskPanelProps) {
  const { value, error, reload, replace, ...source } = useLoad(
    (signal) => loadTask(api, name, signal),
    active,
    [api, name, changes],
  );
  const title = useRef<HTMLHeadingElement>(null);
  // The address has changed: a reader of the screen goes on here.
  useEffect(() => title.current?.focus(), []);
  const show: OnChanged = (task) => {
    replace((old) => task ?? old);
    onChanged();
  };
  const common = { api, name };
  return (
    <>
      <section class="panel" aria-labelledby="task-title">
        <div class="bar">
          <h2 id="task-title" tabIndex={-1} ref={title}>
            {name}
          </h2>
          <Renew source={source} reload={reload} />
        </div>
        <LoadNote value={value} error={error} />
        {value !== null && (
          <>
            <Sourced source={source}>
              <TaskFacts task={value.task} />
              <TaskQuestions loaded={value} />
            </Sourced>
            <div class="actions">
              <button type="button" onClick={() => onEdit(value)}>
                Edit the questions in Ask
              </button>
              <DeleteTask api={api} name={name} active={active} onEnd={onDeleted} />
            </div>
          </>
        )}
      </section>
      {value !== null && (
        <>
          <FitPanel {...common} onChanged={onChanged} loaded={value} source={source} />
          {value.task.drift !== null && (
            <DriftPanel drift={value.task.drift} asked={value.asked} source={source} />
          )}
          <ShadowPanel
            {...common}
            onChanged={show}
            limits={limits}
            active={active}
            loaded={value}
            source={source}
          />
          <LabelsPanel
            {...common}
            onChanged={onChanged}
            keyId={limits.key.id}
            task={value.task}
            source={source}
          />
          <TaskAsk {...common} onChanged={onChanged} limits={limits} loaded={value} />
          <TaskSettings {...common} onChanged={show} task={value.task} />
        </>
      )}
    </>
  );
}
