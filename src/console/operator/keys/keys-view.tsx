import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperatorNewKey } from '../../../api/index.js';
import { Choice } from '../../ui/choice.js';
import { ErrorNote } from '../../ui/error-note.js';
import { time } from '../../ui/format-values.js';
import { LoadNote } from '../../ui/loading.js';
import { Renew, Sourced } from '../../ui/sourced.js';
import { useAction } from '../../ui/use-action.js';
import { useLoad } from '../../ui/use-load.js';
import { useQuestion } from '../../ui/use-question.js';
import { ListFilters } from '../list-filters.js';
import { ListPages } from '../list-pages.js';
import type { OperatorApi } from '../operator-api.js';
import { FIRST_PAGE } from '../page-at.js';
import { nameOf } from '../typed-names.js';
import { usePage } from '../use-page.js';
import { WorkspaceFilter } from '../workspace-field.js';
import { CreateKey } from './create-key.js';
import { type KeyQuestion, KeyQuestionDialog } from './key-question.js';
import { KeyTable } from './key-table.js';
import { makeKey } from './make-key.js';
import { NewToken } from './new-token.js';

interface KeysViewProps {
  readonly api: OperatorApi;
  /** Only the keys of this workspace; null: of all. */
  readonly workspace: string | null;
  readonly active: boolean;
}

const STATES = [
  ['working', 'Working'],
  ['all', 'All'],
] as const;

const SORTS = [
  ['-created', 'newest first'],
  ['expires', 'ending soonest first'],
  ['workspace', 'by workspace'],
  ['name', 'by name'],
] as const;

/** The keys, with the tokens of new ones; forms that create, rename, roll and revoke keys. */
export function KeysView({ api, workspace, active }: KeysViewProps) {
  const [states, setStates] = useState<(typeof STATES)[number][0]>('working');
  const page = usePage('-created');
  const { query } = page;
  const { value, isCurrent, error, reload, ...source } = useLoad(
    async (signal) => {
      const owner = workspace === null ? {} : { workspace };
      const list = await api.call('listKeys', { query: { ...query, ...owner, state: states }, signal });
      return { ...list, at: page.at, sort: page.sort };
    },
    active,
    [api, workspace, states, query.search, query.sort, page.at],
  );
  const [made, setMade] = useState<readonly OperatorNewKey[]>([]);
  const [question, setQuestion] = useQuestion<KeyQuestion | null>(active, null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => page.onPage(FIRST_PAGE), [workspace, states]);
  const action = useAction();
  const add = (key: OperatorNewKey) => setMade((before) => [key, ...before]);
  /** Runs a change, and reads the keys again: without an answer, it may have been made. */
  const change = (work: () => Promise<string>) => {
    setQuestion(null);
    action.run(() => work().finally(reload));
  };
  const rename = (id: string, text: string) =>
    change(async () => {
      const { name } = await api.call('changeKey', { id, body: { name: nameOf(text) } });
      return name === null ? `${id} has no name.` : `${id} is named ${name}.`;
    });
  const roll = (id: string) =>
    change(async () => {
      const { rolled, ...created } = await makeKey(() => api.call('rollKey', { id }));
      add(created);
      return `${id} works until ${rolled.expires === null ? 'it is revoked' : time(rolled.expires)}.`;
    });
  const revoke = (id: string) =>
    change(async () => {
      await api.call('revokeKey', { id });
      // The row with the button may go.
      title.current?.focus();
      return `${id} is revoked.`;
    });
  const shown = value?.keys ?? [];
  return (
    <>
      <h1 class="hidden">Keys</h1>
      {made.map((key) => (
        <NewToken
          key={key.key.id}
          created={key}
          onDone={() => {
            setMade((before) => before.filter((each) => each !== key));
            title.current?.focus();
          }}
        />
      ))}
      <CreateKey api={api} active={active} workspace={workspace} onCreated={add} onEnd={reload} />
      <section class="panel" aria-labelledby="keys-title">
        <div class="bar">
          <h2 id="keys-title" tabIndex={-1} ref={title}>
            Keys
          </h2>
          <span role="status" class="muted">
            {action.done}
          </span>
          <WorkspaceFilter api={api} active={active} view="keys" workspace={workspace} />
          <Choice label="State of the keys" options={STATES} value={states} onChange={setStates} />
          <Renew source={source} reload={reload} />
        </div>
        <ListFilters state={page} sorts={SORTS} />
        {action.error !== null && <ErrorNote error={action.error} />}
        <LoadNote value={value} error={error} />
        {isCurrent && value?.total === 0 && query.search !== '' && <p class="empty">No key matches.</p>}
        {isCurrent && value?.total === 0 && query.search === '' && (
          <p class="empty">
            {states === 'all' ? 'There is no key yet.' : 'There is no key that works.'} Create one above:
            callers send its token with each request.
          </p>
        )}
        {shown.length > 0 && (
          <Sourced source={source}>
            <KeyTable keys={shown} busy={action.busy} onAsk={setQuestion} />
          </Sourced>
        )}
        {value !== null && <ListPages state={page} part={value} rows={shown.length} what="key" />}
      </section>
      {question !== null && (
        <KeyQuestionDialog
          question={question}
          onRename={rename}
          onRoll={roll}
          onRevoke={revoke}
          onCancel={() => setQuestion(null)}
        />
      )}
    </>
  );
}
