import type { OperatorHistory } from '../../../api/index.js';
import { type Clock, showInstant } from '../../../base/index.js';
import { HISTORY_STEP_MS, type HistoryPoint, type RequestHistory } from '../../request-history.js';
import type { ResourceHistory } from './resource-history.js';

/** Workspaces with the most requests that are shown. */
export const TOP_WORKSPACES = 10;

/** What the server did in the last hour. */
export function showHistory(
  requests: RequestHistory,
  resources: Pick<ResourceHistory, 'all'>,
  clock: Pick<Clock, 'now'>,
): OperatorHistory {
  const points = requests.points();
  const measured = resources.all;
  return {
    // Last: no point is later.
    time: showInstant(clock.now()),
    step_seconds: HISTORY_STEP_MS / 1_000,
    requests: points.map(({ at, workspaces: _, latency, ...counts }) => ({
      time: showInstant(at),
      ...counts,
      latency_ms: latency,
    })),
    resources: measured.map(({ at, ...point }) => ({ time: showInstant(at), ...point })),
    top_workspaces: topOf(points),
  };
}

function topOf(points: readonly HistoryPoint[]): OperatorHistory['top_workspaces'] {
  const sums = new Map<string, number>();
  for (const { workspaces } of points) {
    for (const [workspace, count] of workspaces) sums.set(workspace, (sums.get(workspace) ?? 0) + count);
  }
  const sorted = [...sums].sort(([id, count], [other, others]) => others - count || (id < other ? -1 : 1));
  return sorted.slice(0, TOP_WORKSPACES).map(([workspace, count]) => ({ workspace, requests: count }));
}
