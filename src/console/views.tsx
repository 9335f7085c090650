import { useState } from 'preact/hooks';
import type { Api } from './api/call-api.js';
import type { ReadLimits } from './api/read-limits.js';
import { AskView } from './ask/ask-view.js';
import { BatchesView } from './batches/batches-view.js';
import type { useRoute } from './route.js';
import type { LoadedTask } from './tasks/loaded-task.js';
import { TasksView } from './tasks/tasks-view.js';
import { KeptViews } from './ui/kept-views.js';
import { UsageView } from './usage/usage-view.js';

interface ViewsProps {
  readonly api: Api;
  readonly limits: ReadLimits;
  readonly route: ReturnType<typeof useRoute>;
  readonly onLimits: (limits: ReadLimits) => void;
}

/** The views of the console, of which one is shown. */
export function Views({ api, limits, route: { view, item, shared }, onLimits }: ViewsProps) {
  const [edited, setEdited] = useState<LoadedTask | null>(null);
  const edit = (task: LoadedTask) => {
    // A copy: the same task may be opened again.
    setEdited({ ...task });
    location.hash = '/ask';
  };
  return (
    <KeptViews
      view={view}
      views={{
        ask: (active) => (
          <AskView api={api} limits={limits} shared={shared} active={active} edited={edited} />
        ),
        tasks: (active) => <TasksView api={api} limits={limits} name={item} active={active} onEdit={edit} />,
        batches: (active) => (
          <BatchesView api={api} limits={limits} onLimits={onLimits} id={item} active={active} />
        ),
        usage: (active) => <UsageView api={api} limits={limits} onLimits={onLimits} active={active} />,
      }}
    />
  );
}
