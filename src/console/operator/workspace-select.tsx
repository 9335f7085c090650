interface WorkspaceSelectProps {
  /** The view whose address names the workspace. */
  readonly view: string;
  readonly workspaces: readonly string[];
  /** Null: all. */
  readonly workspace: string | null;
}

/** Selects the workspace of a list. */
export function WorkspaceSelect({ view, workspaces, workspace }: WorkspaceSelectProps) {
  const isUnknown = workspace !== null && !workspaces.includes(workspace);
  return (
    <label class="inline">
      Workspace
      <select
        value={workspace ?? ''}
        onChange={({ currentTarget: { value } }) => {
          location.hash = value === '' ? `/${view}` : `/${view}/${value}`;
        }}
      >
        <option value="">all</option>
        {[...workspaces, ...(isUnknown ? [workspace] : [])].map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </label>
  );
}
