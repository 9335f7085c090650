import { useEffect } from 'preact/hooks';
import type { OperatorHistory } from '../../../api/index.js';
import { DataTable } from '../../ui/data-table.js';
import { bytes, clockTime, milliseconds, percent, whole } from '../../ui/format-values.js';
import { LoadNote } from '../../ui/loading.js';
import { AsOf, Sourced } from '../../ui/sourced.js';
import { useLoad } from '../../ui/use-load.js';
import { useVisible } from '../../ui/use-visible.js';
import type { OperatorApi } from '../operator-api.js';
import { Plot } from './plot.js';
import { bytesTop } from './scale-top.js';
import { beginningIn, STEPS, stepsOf } from './steps.js';

/** How often the history is read, in milliseconds. */
const RELOAD_MS = 30_000;

interface HourPanelProps {
  readonly api: OperatorApi;
  readonly active: boolean;
}

/** The last hour, which the server keeps: requests, errors, latency and memory by minute, and the top workspaces. */
export function HourPanel({ api, active }: HourPanelProps) {
  const isShown = useVisible() && active;
  const { value, error, reload, ...source } = useLoad(
    (signal) => api.call('showHistory', { signal }),
    isShown,
    [api],
  );
  useEffect(() => {
    if (!isShown) return;
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [isShown]);
  return (
    <section class="panel" aria-labelledby="history-title">
      <div class="bar">
        <h2 id="history-title">Last hour</h2>
        <AsOf source={source} />
      </div>
      <LoadNote value={value} error={error} />
      {value !== null && (
        <Sourced source={source}>
          <Plots history={value} />
          <TopWorkspaces history={value} />
        </Sourced>
      )}
    </section>
  );
}

interface PlotsProps {
  readonly history: OperatorHistory;
}

function Plots({ history }: PlotsProps) {
  const requests = stepsOf(history.requests, history);
  const resources = stepsOf(history.resources, history);
  const sums = { requests: 0, refused: 0, failed: 0 };
  for (const point of history.requests) {
    sums.requests += point.requests;
    sums.refused += point.refused;
    sums.failed += point.failed;
  }
  const common = { room: STEPS, span: `${STEPS} min`, shape: 'bars' as const };
  const [began, measured] = [beginningIn(requests, history), beginningIn(resources, history)];
  const ofRequests = { ...common, timeOf: (at: number) => clockTime(began(at)) };
  const ofResources = { ...common, timeOf: (at: number) => clockTime(measured(at)) };
  const waiting = resources.map((each) => each && each.waiting.live + each.waiting.batch);
  const share = (part: number, all: number) => (all === 0 ? 0 : part / all);
  const latency = (name: Percentile) => requests.map((each) => each?.latency_ms?.[name] ?? 0);
  const newest = requests.findLast((each) => each?.latency_ms != null)?.latency_ms;
  const memory = resources.map((each) => each?.resident_bytes ?? 0);
  return (
    <div class="plots">
      <Plot
        label="Requests per minute"
        now={`${whole(sums.requests)} in the hour`}
        values={requests.map((each) => each?.requests ?? 0)}
        format={(value) => `${whole(value)} /min`}
        {...ofRequests}
      />
      <Plot
        label="Failed (5xx)"
        now={percent(share(sums.failed, sums.requests))}
        values={requests.map((each) => share(each?.failed ?? 0, each?.requests ?? 0))}
        format={percent}
        max={1}
        {...ofRequests}
      />
      <Plot
        label="Refused (4xx)"
        now={percent(share(sums.refused, sums.requests))}
        values={requests.map((each) => share(each?.refused ?? 0, each?.requests ?? 0))}
        format={percent}
        max={1}
        {...ofRequests}
      />
      <Plot
        label="Latency: p50, p95, p99"
        now={newest ? percentiles(newest) : 'none'}
        values={latency('p99')}
        parts={[latency('p95'), latency('p50')]}
        format={milliseconds}
        describe={(at) => percentiles(requests[at]?.latency_ms)}
        {...ofRequests}
      />
      <Plot
        label="Plans waiting"
        now={whole(waiting.findLast((each) => each !== null) ?? 0)}
        values={waiting.map((each) => each ?? 0)}
        format={whole}
        {...ofResources}
      />
      <Plot
        label="Process memory"
        now={bytes(memory.findLast((each) => each > 0) ?? 0)}
        values={memory}
        format={bytes}
        max={bytesTop(Math.max(...memory))}
        {...ofResources}
      />
    </div>
  );
}

type Percentile = 'p50' | 'p95' | 'p99';
type Latency = Readonly<Record<Percentile, number>>;

const percentiles = (latency: Latency | null | undefined): string =>
  latency ? [latency.p50, latency.p95, latency.p99].map(milliseconds).join(', ') : 'none';

function TopWorkspaces({ history: { top_workspaces: top, requests } }: PlotsProps) {
  const all = requests.reduce((sum, point) => sum + point.requests, 0);
  if (top.length === 0) return <p class="empty">No workspace has sent a request in the last hour.</p>;
  return (
    <DataTable
      label="Table of the workspaces with the most requests"
      rows={top}
      keyOf={({ workspace }) => workspace}
      columns={[
        {
          title: 'Workspace',
          cell: ({ workspace }) => <a href={`#/workspaces/${workspace}`}>{workspace}</a>,
        },
        { title: 'Requests', number: true, cell: (row) => whole(row.requests) },
        { title: 'Share', number: true, cell: (row) => percent(row.requests / Math.max(1, all)) },
      ]}
    />
  );
}
