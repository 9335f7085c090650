import type { TaskSummary } from '../../client/index.js';
import { time, whole } from '../ui/format-values.js';
import { LoadNote } from '../ui/loading.js';
import { Renew, Sourced } from '../ui/sourced.js';
import type { Loaded } from '../ui/use-load.js';

interface TaskTableProps {
  readonly loaded: Loaded<readonly TaskSummary[]>;
  /** The name of the task that is shown; null if none is. */
  readonly shown: string | null;
}

/** The tasks of the workspace, by name. */
export function TaskTable({ loaded: { value, error, reload, ...source }, shown }: TaskTableProps) {
  return (
    <section class="panel" aria-labelledby="tasks-title">
      <div class="bar">
        <h2 id="tasks-title">Tasks of the workspace</h2>
        <Renew source={source} reload={reload} />
      </div>
      <LoadNote value={value} error={error} />
      {value !== null && (
        <Sourced source={source}>
          {value.length === 0 ? <NoTasks /> : <Rows tasks={value} shown={shown} />}
        </Sourced>
      )}
    </section>
  );
}

const NoTasks = () => (
  <div class="empty">
    <p>
      A task is a named set of questions that you ask about many texts. From labels, which say what the
      correct answers were, the server finds out which further answers can be used without review.
    </p>
    <p>
      Write questions in <a href="#/ask">Ask</a> and choose <em>Save as a task</em>. The page{' '}
      <code>docs/tasks.md</code> of the documentation has the rest; the calls are in{' '}
      <a href="openapi.json">openapi.json</a>.
    </p>
  </div>
);

function Rows({ tasks, shown }: { readonly tasks: readonly TaskSummary[]; readonly shown: string | null }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with the keyboard
    <section class="scroll" tabIndex={0} aria-label="Table of tasks">
      <table>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Model</th>
            <th scope="col" class="number">
              Answers
            </th>
            <th scope="col" class="number">
              Labels
            </th>
            <th scope="col">Fitted</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.name} class={task.name === shown ? 'current' : undefined}>
              <td class="task-name">
                <a href={`#/tasks/${task.name}`} aria-current={task.name === shown ? 'true' : undefined}>
                  {task.name}
                </a>
                {task.description !== null && (
                  <div class="muted cut" dir="auto">
                    {task.description}
                  </div>
                )}
              </td>
              <td class="nowrap">{task.model ?? 'default'}</td>
              <td class="number">{whole(task.answers)}</td>
              <td class="number">{whole(task.labels)}</td>
              <td title={task.fitted_at === null ? undefined : time(task.fitted_at)}>
                {task.fitted_at === null ? 'no' : 'yes'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
