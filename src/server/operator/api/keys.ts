import { type Key, showKey } from '../../../access/index.js';
import type { OperatorApiName } from '../../../api/index.js';
import type { Storage } from '../../../storage/index.js';
import { readFields, readQuery, TEXT } from '../operator-fields.js';
import type { Handlers } from './operator-call.js';

type KeyRoutes = Extract<OperatorApiName, 'listKeys' | 'createKey' | 'rollKey' | 'revokeKey'>;

/** The routes of keys. */
export function keyHandlers({ administration, clock }: Storage): Handlers<KeyRoutes> {
  const show = (key: Key) => showKey(key, clock.now());
  return {
    async listKeys({ query }) {
      return await administration.read('listKeys', readQuery(query, 'workspace').workspace);
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
