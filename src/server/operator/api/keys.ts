import { type Key, keyState } from '../../../access/index.js';
import type { OperatorApiName, OperatorKey } from '../../../api/index.js';
import type { OpenAccess } from '../../access.js';
import { readFields, readQuery, TEXT } from '../fields.js';
import { type Handlers, showInstant } from './call.js';

type KeyRoutes = Extract<OperatorApiName, 'listKeys' | 'createKey' | 'rollKey' | 'revokeKey'>;

/** The routes of keys. */
export function keyHandlers({ administration, calendar }: OpenAccess): Handlers<KeyRoutes> {
  const show = (key: Key): OperatorKey => ({
    id: key.id,
    workspace: key.workspace,
    state: keyState(key, calendar.clock.now()),
    created: showInstant(key.created),
    expires: showInstant(key.expires),
    revoked: showInstant(key.revoked),
    rolled_to: key.rolledTo,
  });
  return {
    async listKeys({ actor, query }) {
      const keys = await administration.run(actor, 'listKeys', readQuery(query, 'workspace'));
      return { keys: keys.map(show) };
    },
    async createKey({ actor, body }) {
      const task = readFields(body, { workspace: TEXT }, { expires: TEXT });
      const { key, token } = await administration.run(actor, 'createKey', task);
      return { key: show(key), token };
    },
    async rollKey({ actor, id, body }) {
      readFields(body, {}, {});
      const { key, token, rolled } = await administration.run(actor, 'rollKey', { id });
      return { key: show(key), token, rolled: show(rolled) };
    },
    async revokeKey({ actor, id, body }) {
      readFields(body, {}, {});
      return show(await administration.run(actor, 'revokeKey', { id }));
    },
  };
}
