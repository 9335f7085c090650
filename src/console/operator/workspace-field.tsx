import { useEffect, useId, useState } from 'preact/hooks';
import { useLoad } from '../ui/use-load.js';
import { useSettled } from '../ui/use-settled.js';
import type { OperatorApi } from './operator-api.js';

/** Suggestions below a field. */
const SUGGESTED = '20';
/** How long typing must pause before suggestions are looked up, in milliseconds. */
const PAUSE_MS = 200;
/** Characters of a search. */
const SEARCH_CHARACTERS_MAX = 100;

interface WorkspaceFieldProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  readonly label: string;
  readonly value: string;
  /** Called with each change of the text. */
  readonly onInput: (text: string) => void;
  /** Called when the text is complete: with Enter, a suggestion, or when the field is left. */
  readonly onDone?: (text: string) => void;
  readonly placeholder?: string;
  /** Whether the label stands before the field, not above it. */
  readonly inline?: boolean;
}

/** A field for the id of a workspace, with those as suggestions whose id or name holds the text. */
export function WorkspaceField(props: WorkspaceFieldProps) {
  const { api, active, label, value, onInput, onDone, placeholder, inline = false } = props;
  const list = useId();
  const search = useSettled(value, PAUSE_MS).slice(0, SEARCH_CHARACTERS_MAX);
  const { value: found } = useLoad(
    (signal) => api.call('listWorkspaces', { query: { search, limit: SUGGESTED }, signal }),
    active,
    [api, search],
  );
  return (
    <>
      <label class={inline ? 'inline' : undefined}>
        {label}
        <input
          type="text"
          list={list}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
          onChange={({ currentTarget }) => onDone?.(currentTarget.value.trim())}
        />
      </label>
      <datalist id={list}>
        {found?.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name ?? id}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface WorkspaceFilterProps {
  readonly api: OperatorApi;
  readonly active: boolean;
  /** The view whose address names the workspace. */
  readonly view: string;
  /** Null: all. */
  readonly workspace: string | null;
}

/** Selects the workspace of a list: the address of the view names it. */
export function WorkspaceFilter({ api, active, view, workspace }: WorkspaceFilterProps) {
  const [text, setText] = useState(workspace ?? '');
  useEffect(() => setText(workspace ?? ''), [workspace]);
  return (
    <WorkspaceField
      api={api}
      active={active}
      label="Workspace"
      inline
      placeholder="all"
      value={text}
      onInput={setText}
      onDone={(id) => {
        location.hash = id === '' ? `/${view}` : `/${view}/${id}`;
      }}
    />
  );
}
