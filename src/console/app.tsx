import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Api } from './api/call-api.js';
import type { CallError } from './api/error.js';
import { type ReadLimits, readLimits } from './api/read-limits.js';
import { useRefusal } from './api/use-refusal.js';
import { KeyForm, keptKey } from './key-form.js';
import { useRoute, VIEWS } from './route.js';
import { forgetTab } from './ui/browser-store.js';
import { Frame } from './ui/frame.js';
import { Loading } from './ui/loading.js';
import { useLater } from './ui/use-later.js';

/** The views load while somebody enters a key: their editor is the largest part of the console. */
const loadViews = async () => (await import('./views.js')).Views;

/** The console: asks for a key, then shows the view that the address names. Views that were left keep what they hold. */
export function App() {
  const [key, setKey] = useState(() => keptKey.read());
  const [limits, setLimits] = useState<ReadLimits | null>(null);
  const [error, setError] = useState<unknown>(null);
  const route = useRoute();
  const { value: Views, error: missing } = useLater(loadViews);
  const leave = (reason: CallError | null) => {
    keptKey.store(null);
    setKey(null);
    setLimits(null);
    setError(reason);
  };
  const [forgets, setForgets] = useState(0);
  const forget = () => {
    leave(null);
    // A link holds a request, which the Back button must not bring back.
    if (route.shared !== null) location.replace('#/ask');
    setForgets((before) => before + 1);
  };
  // After the cleanups of the layout effects of the views, which keep their drafts.
  useLayoutEffect(() => {
    if (forgets > 0) forgetTab();
  }, [forgets]);
  const refusalOf = useRefusal(key, leave);
  const api = useMemo(() => (key === null ? null : new Api(key, refusalOf(key))), [key]);
  const load = () => {
    // Without a key, the error that is shown is the refusal of the last one.
    if (api === null) return;
    setError(null);
    readLimits(api).then((read) => {
      keptKey.store(api.key);
      setLimits(read);
    }, setError);
  };
  useEffect(load, [api]);
  const account = limits !== null && (
    <>
      <code>{limits.key.id}</code>
      <button type="button" class="quiet" onClick={forget}>
        Forget the key
      </button>
    </>
  );
  return (
    <Frame brand="decider" views={VIEWS} view={route.view} account={account}>
      {api === null && <KeyForm error={error} onKey={setKey} />}
      {api !== null && (limits === null || Views === null) && (
        <Loading error={error ?? missing} retry={load} />
      )}
      {api !== null && limits !== null && Views !== null && (
        <Views api={api} limits={limits} route={route} onLimits={setLimits} />
      )}
    </Frame>
  );
}
