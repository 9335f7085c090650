import {
  type Administration,
  CHANGES,
  type Change,
  foundWorkspace,
  type Key,
  type NewKey,
  showKey,
} from '../access/index.js';
import { type Clock, showInstant, showTime } from '../base/index.js';
import { type Options, print, printJson } from './output.js';
import { facts, table } from './text-table.js';
import { withAdministration } from './with-store.js';

interface CreateOptions extends Options {
  readonly workspace: string;
  readonly expires?: string;
  readonly name?: string;
}

/** `decider keys create`: the only time that the token is printed. */
export const create = (options: CreateOptions) =>
  withAdministration(options, async (administration) => {
    const { workspace, expires, name } = options;
    const row = newKeyRow(await administration.change(CHANGES.createKey(workspace, expires, name)));
    if (options.json) printJson(row);
    else print(newKeyFacts(row));
  });

/** `decider keys list` */
export const list = (options: Options & { readonly workspace?: string }) =>
  withAdministration(options, async (administration, _, clock) => {
    const keys = await administration.listKeys(options.workspace);
    const workspaces = await administration.listWorkspaces();
    const owners = new Map(workspaces.map((workspace) => [workspace.id, workspace]));
    const uses = await administration.lastUses(keys.map(({ id }) => id));
    const rows = keys.map((key) => {
      const owner = foundWorkspace(key.workspace, owners.get(key.workspace));
      return showKey(key, owner, uses.get(key.id), clock.now());
    });
    if (options.json) return printJson(rows);
    const head = ['key', 'workspace', 'name', 'state', 'created', 'expires', 'last used'];
    const cells = rows.map(({ id, workspace, name, state, created, expires, last_used: used }) => [
      id,
      workspace,
      name ?? '',
      state,
      showTime(created),
      expires === null ? 'never' : showTime(expires),
      used === null ? 'unknown' : `${showTime(used).slice(0, MINUTE_CHARACTERS)}Z`,
    ]);
    print(table(head, cells));
  });

/** `decider keys rename`: '' removes the name. */
export const rename = (id: string, name: string, options: Options) =>
  withAdministration(options, async (administration, _, clock) => {
    const change = CHANGES.renameKey(id, name === '' ? null : name);
    const row = await changed(administration, id, change, clock);
    if (options.json) printJson(row);
    else print(name === '' ? `${id} has no name.` : `${id} is named ${name}.`);
  });

/** `decider keys roll`: creates a new key and prints when the old one expires. */
export const roll = (id: string, options: Options) =>
  withAdministration(options, async (administration) => {
    const made = await administration.change(CHANGES.rollKey(id));
    const row = newKeyRow(made);
    const rolled = { id, expires: showInstant(made.rolled.expires) };
    if (options.json) return printJson({ ...row, rolled });
    print(newKeyFacts(row));
    print(`${id} works until ${rolled.expires === null ? 'it is revoked' : showTime(rolled.expires)}.`);
  });

/** `decider keys revoke` */
export const revoke = (id: string, options: Options) =>
  withAdministration(options, async (administration, _, clock) => {
    const row = await changed(administration, id, CHANGES.revokeKey(id), clock);
    if (options.json) printJson(row);
    else print(`${id} is revoked.`);
  });

/** Of an instant, up to its minute: the last use has the precision of an hour. */
const MINUTE_CHARACTERS = '2026-11-21 08:00'.length;

/** Changes a key; resolves with it as it is then. */
async function changed(administration: Administration, id: string, change: Change<Key>, clock: Clock) {
  // Read first: an error after the change would say that it was not made.
  const workspace = await administration.getWorkspace((await administration.getKey(id)).workspace);
  const uses = await administration.lastUses([id]);
  return showKey(await administration.change(change), workspace, uses.get(id), clock.now());
}

const newKeyRow = ({ key: { id, workspace, name, expires }, token }: NewKey) => ({
  id,
  token,
  workspace,
  name,
  expires: showInstant(expires),
});

const newKeyFacts = ({ id, token, workspace, name, expires }: ReturnType<typeof newKeyRow>) =>
  `token: ${token}\n${facts({ id, workspace, ...(name !== null && { name }), expires: expires === null ? 'never' : showTime(expires) })}`;
