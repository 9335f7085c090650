import {
  createKey,
  getKey,
  getWorkspace,
  listKeys,
  type NewKey,
  readExpiry,
  revokeKey,
  rollKey,
  showKey,
} from '../access/index.js';
import { showInstant } from '../base/index.js';
import { type Options, print, printJson } from './output.js';
import { facts, table } from './table.js';
import { withStore } from './with-store.js';

interface CreateOptions extends Options {
  readonly workspace: string;
  readonly expires?: string;
}

/** `decider keys create`: the only time that the token is printed. */
export const create = (options: CreateOptions) =>
  withStore(options, (store, _, clock) => {
    const { workspace, expires: text } = options;
    // Read once, so that days are counted from the key's creation.
    const now = clock.now();
    const expires = text === undefined ? undefined : readExpiry(text, now);
    const row = newKeyRow(createKey(store, { ...clock, now: () => now }, workspace, expires));
    if (options.json) printJson(row);
    else print(newKeyFacts(row));
  });

/** `decider keys list` */
export const list = (options: Options & { readonly workspace?: string }) =>
  withStore(options, (store, _, clock) => {
    if (options.workspace !== undefined) getWorkspace(store, options.workspace);
    const rows = listKeys(store, options.workspace).map((key) => showKey(key, clock.now()));
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
  withStore(options, (store, _, clock) => {
    const row = newKeyRow(rollKey(store, clock, id));
    const rolled = { id, expires: showInstant(getKey(store, id).expires) };
    if (options.json) return printJson({ ...row, rolled });
    print(newKeyFacts(row));
    print(`${id} works until ${rolled.expires}.`);
  });

/** `decider keys revoke` */
export const revoke = (id: string, options: Options) =>
  withStore(options, (store, _, clock) => {
    const row = showKey(revokeKey(store, clock, id), clock.now());
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
