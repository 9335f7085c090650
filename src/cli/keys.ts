import { CHANGES, type NewKey, showKey } from '../access/index.js';
import { showInstant } from '../base/index.js';
import { type Options, print, printJson } from './output.js';
import { facts, table } from './text-table.js';
import { withAdministration } from './with-store.js';

interface CreateOptions extends Options {
  readonly workspace: string;
  readonly expires?: string;
}

/** `decider keys create`: the only time that the token is printed. */
export const create = (options: CreateOptions) =>
  withAdministration(options, async (administration) => {
    const row = newKeyRow(await administration.change(CHANGES.createKey(options.workspace, options.expires)));
    if (options.json) printJson(row);
    else print(newKeyFacts(row));
  });

/** `decider keys list` */
export const list = (options: Options & { readonly workspace?: string }) =>
  withAdministration(options, async (administration, _, clock) => {
    const keys = await administration.listKeys(options.workspace);
    const rows = keys.map((key) => showKey(key, clock.now()));
    if (options.json) return printJson(rows);
    print(
      table(
        ['key', 'workspace', 'state', 'created', 'expires'],
        rows.map(({ id, workspace, state, created, expires }) => [
          id,
          workspace,
          state,
          created,
          expires ?? 'never',
        ]),
      ),
    );
  });

/** `decider keys roll`: creates a new key and prints when the old one expires. */
export const roll = (id: string, options: Options) =>
  withAdministration(options, async (administration) => {
    const made = await administration.change(CHANGES.rollKey(id));
    const row = newKeyRow(made);
    const rolled = { id, expires: showInstant(made.rolled.expires) };
    if (options.json) return printJson({ ...row, rolled });
    print(newKeyFacts(row));
    print(`${id} works until ${rolled.expires}.`);
  });

/** `decider keys revoke` */
export const revoke = (id: string, options: Options) =>
  withAdministration(options, async (administration, _, clock) => {
    const row = showKey(await administration.change(CHANGES.revokeKey(id)), clock.now());
    if (options.json) printJson(row);
    else print(`${id} is revoked.`);
  });

const newKeyRow = ({ key: { id, workspace, expires }, token }: NewKey) => ({
  id,
  token,
  workspace,
  expires: showInstant(expires),
});

const newKeyFacts = ({ id, token, workspace, expires }: ReturnType<typeof newKeyRow>) =>
  `token: ${token}\n${facts({ id, workspace, expires: expires ?? 'never' })}`;
