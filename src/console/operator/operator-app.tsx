import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OperatorResponses } from '../../api/index.js';
import type { CallError } from '../api/error.js';
import { useRefusal } from '../api/use-refusal.js';
import { forgetTab } from '../ui/browser-store.js';
import { Frame } from '../ui/frame.js';
import { KeptViews } from '../ui/kept-views.js';
import { Loading } from '../ui/loading.js';
import { TabSecret } from '../ui/tab-secret.js';
import { TokenForm } from '../ui/token-form.js';
import { BatchesView } from './all-batches-view.js';
import { AuditView } from './audit-view.js';
import { ErrorsView } from './errors-view.js';
import { KeysView } from './keys/keys-view.js';
import { ModelsView } from './models-view.js';
import { OperatorApi } from './operator-api.js';
import { useRoute, VIEWS } from './operator-route.js';
import { OverviewView } from './overview/overview-view.js';
import { WorkspacesView } from './workspaces/workspaces-view.js';

const KEPT_TOKEN = new TabSecret('decider.operator');
/** The form of every operator token. */
const TOKEN = /^[\x21-\x7e]{32,256}$/;

type Models = OperatorResponses['listModels'];

/** The operator's console: asks for the token, then shows the view that the address names. */
export function App() {
  const [token, setToken] = useState(() => KEPT_TOKEN.read());
  const [models, setModels] = useState<Models | null>(null);
  const [error, setError] = useState<unknown>(null);
  const route = useRoute();
  const leave = (reason: CallError | null) => {
    KEPT_TOKEN.store(null);
    setToken(null);
    setModels(null);
    setError(reason);
  };
  const forget = () => {
    leave(null);
    forgetTab();
  };
  const refusalOf = useRefusal(token, leave);
  const api = useMemo(() => (token === null ? null : new OperatorApi(token, refusalOf(token))), [token]);
  const load = () => {
    // Without a token, the error that is shown is the refusal of the last one.
    if (api === null) return;
    setError(null);
    api.call('listModels').then((body) => {
      KEPT_TOKEN.store(api.token);
      setModels(body);
    }, setError);
  };
  useEffect(load, [api]);
  const account = models !== null && (
    <button type="button" class="quiet" onClick={forget}>
      Forget the token
    </button>
  );
  return (
    <Frame brand="decider operator" views={VIEWS} view={route.view} account={account}>
      {api === null && <OperatorTokenForm error={error} onToken={setToken} />}
      {api !== null && models === null && <Loading error={error} retry={load} />}
      {api !== null && models !== null && <Views api={api} models={models} route={route} />}
    </Frame>
  );
}

interface ViewsProps {
  readonly api: OperatorApi;
  readonly models: Models;
  readonly route: ReturnType<typeof useRoute>;
}

const Views = ({ api, models, route: { view, workspace } }: ViewsProps) => (
  <KeptViews
    view={view}
    views={{
      overview: (active) => <OverviewView api={api} active={active} />,
      workspaces: (active) => (
        <WorkspacesView api={api} models={models.models} shown={workspace} active={active} />
      ),
      keys: (active) => <KeysView api={api} workspace={workspace} active={active} />,
      models: (active) => <ModelsView api={api} active={active} />,
      batches: (active) => <BatchesView api={api} workspace={workspace} active={active} />,
      errors: (active) => <ErrorsView api={api} active={active} />,
      audit: (active) => <AuditView api={api} active={active} />,
    }}
  />
);

interface OperatorTokenFormProps {
  /** Why the last token was refused; null if none was. */
  readonly error: unknown;
  readonly onToken: (token: string) => void;
}

const OperatorTokenForm = ({ error, onToken }: OperatorTokenFormProps) => (
  <TokenForm
    title="Enter the operator’s token"
    intro="The console administers this server with the operator’s token. It is kept in this tab until you close it, and sent to this server only."
    label="Operator’s token"
    placeholder="op_…"
    hint={{
      normal: 'The key of a caller does not work here.',
      odd: 'The token is 32 to 256 printable characters without spaces.',
    }}
    looksRight={(token) => TOKEN.test(token)}
    error={error}
    onToken={onToken}
  >
    <details>
      <summary>Where do I get the token?</summary>
      <p>
        It is the setting <code>operator.token</code>. If that is empty, it is in the file{' '}
        <code>operator.token</code> of the server’s data folder.
      </p>
    </details>
  </TokenForm>
);
