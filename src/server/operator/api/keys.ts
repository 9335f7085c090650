import { type Key, showKey } from '../../../access/index.js';
import { KEY_SORTS, type OperatorApiName } from '../../../api/index.js';
import type { Storage } from '../../../storage/index.js';
import { PAGE_PARAMETERS, readFields, readPage, readQuery, TEXT, wrong } from '../operator-fields.js';
import type { Handlers } from './operator-call.js';

type KeyRoutes = Extract<OperatorApiName, 'listKeys' | 'createKey' | 'rollKey' | 'revokeKey'>;

/** The routes of keys. */
export function keyHandlers({ administration, clock }: Storage): Handlers<KeyRoutes> {
  const show = (key: Key) => showKey(key, clock.now());
  return {
    async listKeys({ query }) {
      const { workspace, state, ...page } = readQuery(query, 'workspace', 'state', ...PAGE_PARAMETERS);
      if (state !== undefined && state !== 'working' && state !== 'all') {
        throw wrong('state', 'must be working or all');
      }
      return await administration.read('listKeys', {
        ...readPage(page, KEY_SORTS),
        ...(workspace !== undefined && { workspace }),
        working: state === 'working',
      });
    },
    async createKey({ actor, body }) {
      const { workspace, expires } = readFields(body, { workspace: TEXT }, { expires: TEXT });
      const { key, token } = await administration.change(actor, 'createKey', workspace, expires);
      return { key: show(key), token };
    },
    async rollKey({ actor, id, body }) {
      readFields(body, {}, {});
      const { key, token, rolled } = await administration.change(actor, 'rollKey', id);
      return { key: show(key), token, rolled: show(rolled) };
    },
    async revokeKey({ actor, id, body }) {
      readFields(body, {}, {});
      return show(await administration.change(actor, 'revokeKey', id));
    },
  };
}
