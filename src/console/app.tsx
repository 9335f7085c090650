import { useEffect, useMemo, useState } from 'preact/hooks';
import { Api } from './api/call.js';
import type { CallError } from './api/error.js';
import { readKey, storeKey } from './api/key.js';
import type { Limits } from './api/types.js';
import { AskView } from './ask/ask-view.js';
import { BatchesView } from './batches/batches-view.js';
import { KeyForm } from './key-form.js';
import { useRoute, VIEWS, type View } from './route.js';
import { ErrorNote } from './ui/error-note.js';
import { UsageView } from './usage/usage-view.js';

/** The console: asks for a key, then shows the view that the address names. Views that were left keep what they hold. */
export function App() {
  const [key, setKey] = useState(readKey);
  const [limits, setLimits] = useState<Limits | null>(null);
  const [error, setError] = useState<unknown>(null);
  const route = useRoute();
  const leave = (reason: CallError | null) => {
    storeKey(null);
    setKey(null);
    setLimits(null);
    setError(reason);
  };
  const api = useMemo(() => (key === null ? null : new Api(key, leave)), [key]);
  const load = () => {
    // Without a key, the error that is shown is the refusal of the last one.
    if (api === null) return;
    setError(null);
    api.json<Limits>('v1/limits').then(({ body }) => {
      storeKey(api.key);
      setLimits(body);
    }, setError);
  };
  useEffect(load, [api]);
  useEffect(() => {
    document.title = `${VIEWS.find(([view]) => view === route.view)?.[1]} · decider`;
  }, [route.view]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header view={route.view} limits={limits} onLeave={() => leave(null)} />
      <main id="main" tabIndex={-1}>
        {api === null && <KeyForm error={error} onKey={setKey} />}
        {api !== null && limits === null && <Loading error={error} retry={load} />}
        {api !== null && limits !== null && (
          <Views api={api} limits={limits} route={route} onLimits={setLimits} />
        )}
      </main>
    </>
  );
}

interface HeaderProps {
  readonly view: View;
  readonly limits: Limits | null;
  readonly onLeave: () => void;
}

function Header({ view, limits, onLeave }: HeaderProps) {
  return (
    <header class="top">
      <span class="brand">decider</span>
      <nav aria-label="Views">
        <ul>
          {VIEWS.map(([name, title]) => (
            <li key={name}>
              <a href={`#/${name}`} aria-current={name === view ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="account">
        {limits !== null && (
          <>
            <code>{limits.key.id}</code>
            <button type="button" class="quiet" onClick={onLeave}>
              Forget the key
            </button>
          </>
        )}
      </div>
    </header>
  );
}

function Loading({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  if (error === null) return <p class="muted loading">Loading…</p>;
  return (
    <section class="panel narrow">
      <ErrorNote error={error} />
      <button type="button" onClick={retry}>
        Try again
      </button>
    </section>
  );
}

interface ViewsProps {
  readonly api: Api;
  readonly limits: Limits;
  readonly route: ReturnType<typeof useRoute>;
  readonly onLimits: (limits: Limits) => void;
}

function Views({ api, limits, route: { view, item, shared }, onLimits }: ViewsProps) {
  const [visited, setVisited] = useState<readonly View[]>([view]);
  // The form for the key, which had the focus, has gone.
  useEffect(() => document.getElementById('main')?.focus(), []);
  useEffect(() => setVisited((old) => (old.includes(view) ? old : [...old, view])), [view]);
  return (
    <>
      {visited.includes('ask') && (
        <div hidden={view !== 'ask'}>
          <AskView api={api} limits={limits} shared={shared} />
        </div>
      )}
      {visited.includes('batches') && (
        <div hidden={view !== 'batches'}>
          <BatchesView api={api} limits={limits} id={item} active={view === 'batches'} />
        </div>
      )}
      {visited.includes('usage') && (
        <div hidden={view !== 'usage'}>
          <UsageView api={api} limits={limits} onLimits={onLimits} active={view === 'usage'} />
        </div>
      )}
    </>
  );
}
