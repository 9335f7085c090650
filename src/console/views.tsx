import type { Api } from './api/call-api.js';
import type { ReadLimits } from './api/read-limits.js';
import { AskView } from './ask/ask-view.js';
import { BatchesView } from './batches/batches-view.js';
import type { useRoute } from './route.js';
import { KeptViews } from './ui/kept-views.js';
import { UsageView } from './usage/usage-view.js';

interface ViewsProps {
  readonly api: Api;
  readonly limits: ReadLimits;
  readonly route: ReturnType<typeof useRoute>;
  readonly onLimits: (limits: ReadLimits) => void;
}

/** The views of the console, of which one is shown. */
export const Views = ({ api, limits, route: { view, item, shared }, onLimits }: ViewsProps) => (
  <KeptViews
    view={view}
    views={{
      ask: () => <AskView api={api} limits={limits} shared={shared} />,
      batches: (active) => <BatchesView api={api} limits={limits} id={item} active={active} />,
      usage: (active) => <UsageView api={api} limits={limits} onLimits={onLimits} active={active} />,
    }}
  />
);
