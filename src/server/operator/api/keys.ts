import { type Key, showKey } from '../../../access/index.js';
import { KEY_SORT, KEY_SORTS, type OperatorApiName } from '../../../api/index.js';
import type { KeyContext, Storage } from '../../../storage/index.js';
import { PAGE_PARAMETERS, readPage } from '../list-query.js';
import { readFields, readQuery, TEXT, TEXT_OR_NULL, wrong } from '../operator-fields.js';
import type { Handlers } from './operator-call.js';

type KeyRoutes = Extract<OperatorApiName, 'listKeys' | 'createKey' | 'changeKey' | 'rollKey' | 'revokeKey'>;

/** What is shown of a key that was created in this call: only in an open workspace. */
const NEW: KeyContext = { workspace: { closed: null }, used: undefined };

/** The routes of keys. */
export function keyHandlers({ administration, clock }: Storage): Handlers<KeyRoutes> {
  const show = (key: Key, { workspace, used }: KeyContext) => showKey(key, workspace, used, clock.now());
  // Read before a change: reading can fail, and after the change that would be too late.
  const contextOf = (id: string) => administration.read('keyContext', id);
  return {
    async listKeys({ query }) {
      const { workspace, state, ...page } = readQuery(query, 'workspace', 'state', ...PAGE_PARAMETERS);
      if (state !== undefined && state !== 'working' && state !== 'all') {
        throw wrong('state', 'must be working or all');
      }
      return await administration.read('listKeys', {
        ...readPage(page, KEY_SORTS, KEY_SORT),
        ...(workspace !== undefined && { workspace }),
        working: state === 'working',
      });
    },
    async createKey({ actor, body }) {
      const fields = readFields(body, { workspace: TEXT }, { expires: TEXT, name: TEXT_OR_NULL });
      const { workspace, expires, name } = fields;
      const { key, token } = await administration.change(actor, 'createKey', workspace, expires, name);
      return { key: show(key, NEW), token };
    },
    async changeKey({ actor, id, body }) {
      const { name } = readFields(body, { name: TEXT_OR_NULL }, {});
      const context = await contextOf(id);
      return show(await administration.change(actor, 'renameKey', id, name), context);
    },
    async rollKey({ actor, id, body }) {
      readFields(body, {}, {});
      const context = await contextOf(id);
      const { key, token, rolled } = await administration.change(actor, 'rollKey', id);
      return { key: show(key, NEW), token, rolled: show(rolled, context) };
    },
    async revokeKey({ actor, id, body }) {
      readFields(body, {}, {});
      const context = await contextOf(id);
      return show(await administration.change(actor, 'revokeKey', id), context);
    },
  };
}
