import { OPERATOR_API, type OperatorApiName } from '../../../api/index.js';
import type { Clock } from '../../../base/index.js';
import type { Settings } from '../../../settings/index.js';
import type { RecentLines } from '../../../telemetry/index.js';
import type { RequestHistory } from '../../request-history.js';
import type { Service } from '../../service.js';
import { readQuery } from '../operator-fields.js';
import { jsonReply, type OperatorReply } from '../operator-reply.js';
import type { Activity } from './activity.js';
import { keyHandlers } from './keys.js';
import { showLive } from './live.js';
import { showModels } from './models.js';
import type { Handlers, OperatorCall } from './operator-call.js';
import { recordHandlers } from './records.js';
import type { ResourceHistory } from './resource-history.js';
import { showHistory } from './show-history.js';
import { workspaceHandlers } from './workspaces.js';

interface ApiParts {
  readonly service: Service;
  readonly billing: Settings['billing'];
  readonly clock: Clock;
  readonly activity: Activity;
  readonly requests: RequestHistory;
  readonly resources: ResourceHistory;
  readonly recentLines: RecentLines | undefined;
}

/** What each route of the operator's interface does. */
export function apiHandlers({
  service,
  billing: { currency },
  clock,
  activity,
  requests,
  resources,
  recentLines,
}: ApiParts): Record<OperatorApiName, (call: OperatorCall) => Promise<OperatorReply>> {
  const { storage } = service;
  const started = clock.monotonic();
  const handlers: Handlers<OperatorApiName> = {
    ...workspaceHandlers(storage, () => service.engines.catalog, currency),
    ...keyHandlers(storage),
    ...recordHandlers(storage, (id, actor) => service.cancelBatch(id, actor), recentLines),
    showHistory({ query }) {
      readQuery(query);
      return showHistory(requests, resources, clock);
    },
    listModels({ query }) {
      readQuery(query);
      return showModels(service.engines, currency);
    },
    showLive({ query }) {
      readQuery(query);
      const { engines, openBatches } = service.status();
      return showLive({
        engines,
        activity,
        openBatches,
        unreadyReasons: service.unreadyReasons(),
        now: clock.now(),
        uptimeMs: clock.monotonic() - started,
      });
    },
  };
  const replies = OPERATOR_API.map(({ name, status }) => [
    name,
    async (call: OperatorCall) => jsonReply(status, await handlers[name](call)),
  ]);
  return Object.fromEntries(replies);
}
