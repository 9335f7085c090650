import { useEffect, useState } from 'preact/hooks';
import type { Limits } from '../api/api-types.js';
import type { Api } from '../api/call-api.js';
import { useLeaveWarning } from '../ui/use-leave-warning.js';
import { useLoad } from '../ui/use-load.js';
import { stopAllLabels, useUploading } from './label-uploads.js';
import type { LoadedTask } from './loaded-task.js';
import { TaskPanel } from './task-panel.js';
import { listTasks } from './task-requests.js';
import { TaskTable } from './task-table.js';

interface TasksViewProps {
  readonly api: Api;
  readonly limits: Limits;
  /** The name of the task to show; null for none. */
  readonly name: string | null;
  /** Whether the view is visible: only then is anything read. */
  readonly active: boolean;
  /** Called with a task whose questions are to be changed. */
  readonly onEdit: (task: LoadedTask) => void;
}

/** The tasks of the workspace, and one of them in detail. */
export function TasksView({ api, limits, name, active, onEdit }: TasksViewProps) {
  const list = useLoad((signal) => listTasks(api, signal), active, [api, name]);
  // A change can end after its task was left and opened again: what is shown then may have been read before it.
  const [changes, setChanges] = useState(0);
  const changed = () => {
    list.reload();
    setChanges((before) => before + 1);
  };
  useLeaveWarning(useUploading());
  // The view goes with its key.
  useEffect(() => stopAllLabels, []);
  return (
    <div class="columns tasks">
      <h1 class="hidden">Tasks</h1>
      <div class="column">
        <TaskTable loaded={list} shown={name} />
      </div>
      <div class="column">
        {name === null ? (
          list.value?.length !== 0 && (
            <section class="panel">
              <p class="empty">Choose a task to see its questions, its fit and its labels.</p>
            </section>
          )
        ) : (
          <TaskPanel
            key={name}
            api={api}
            limits={limits}
            name={name}
            active={active}
            changes={changes}
            onChanged={changed}
            onDeleted={list.reload}
            onEdit={onEdit}
          />
        )}
      </div>
    </div>
  );
}
