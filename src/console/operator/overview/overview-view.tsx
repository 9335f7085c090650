import type { OperatorLive } from '../../../api/index.js';
import { ErrorNote } from '../../ui/error-note.js';
import { Facts } from '../../ui/facts.js';
import { bytes, bytesOf, duration, milliseconds, whole } from '../../ui/format-values.js';
import { AsOf, type Source, Sourced } from '../../ui/sourced.js';
import type { OperatorApi } from '../operator-api.js';
import { HourPanel } from './hour-panel.js';
import { ModelPanel } from './model-panel.js';
import { Plot } from './plot.js';
import { SAMPLES_MAX } from './samples.js';
import { bytesTop } from './scale-top.js';
import { useLive } from './use-live.js';

interface OverviewViewProps {
  readonly api: OperatorApi;
  readonly active: boolean;
}

/** What the server does now, and did in the last minute and the last hour. */
export function OverviewView({ api, active }: OverviewViewProps) {
  const { samples, error, source } = useLive(api, active);
  const now = samples.at(-1);
  return (
    <>
      <h1 class="hidden">Overview</h1>
      {error !== null && <ErrorNote error={error} />}
      {now === undefined && error === null && <p class="muted loading">Loading…</p>}
      {now !== undefined && (
        <Sourced source={source}>
          <ServerPanel samples={samples} now={now} source={source} />
          <HourPanel api={api} active={active} />
          {now.models.map((model) => (
            <ModelPanel key={model.id} samples={samples} model={model} />
          ))}
        </Sourced>
      )}
    </>
  );
}

interface ServerPanelProps {
  readonly samples: readonly OperatorLive[];
  readonly now: OperatorLive;
  readonly source: Source;
}

function ServerPanel({ samples, now, source }: ServerPanelProps) {
  const { ready, reasons, requests, event_loop_delay_ms: delay, devices } = now;
  const line = (pick: (sample: OperatorLive) => number) => ({
    values: samples.map(pick),
    room: SAMPLES_MAX,
    span: `${SAMPLES_MAX} s`,
  });
  const open = Object.values(now.batches).reduce((sum, each) => sum + each, 0);
  return (
    <section class="panel" aria-labelledby="server-title">
      <div class="bar">
        <h2 id="server-title">Server</h2>
        <span class={ready ? 'badge done' : 'badge failed'}>{ready ? 'ready' : 'not ready'}</span>
        <AsOf source={source} />
      </div>
      {reasons.map((reason) => (
        <p key={reason} class="warning">
          {reason}
        </p>
      ))}
      <Facts
        facts={[
          ['Running for', duration(now.uptime_seconds)],
          ['Requests answered', whole(requests.total)],
          ['Open batches', <a href="#/batches">{whole(open)}</a>],
        ]}
      />
      <div class="plots">
        <Plot
          label="Requests per second"
          format={(value) => `${value.toFixed(1)} /s`}
          now={requests.per_second.toFixed(1)}
          {...line((sample) => sample.requests.per_second)}
        />
        <Plot
          label="Loop delay, p99"
          format={milliseconds}
          now={milliseconds(delay.p99)}
          {...line((sample) => sample.event_loop_delay_ms.p99)}
        />
        <Plot
          label="Process memory"
          format={bytes}
          max={bytesTop(Math.max(...samples.map((sample) => sample.resident_bytes)))}
          now={bytes(now.resident_bytes)}
          {...line((sample) => sample.resident_bytes)}
        />
        {devices.map(({ device, memory }) => (
          <Plot
            key={device}
            label={`${device} in use`}
            format={bytes}
            now={bytesOf(memory.used_bytes, memory.total_bytes)}
            max={memory.total_bytes}
            {...line(
              (sample) => sample.devices.find((each) => each.device === device)?.memory.used_bytes ?? 0,
            )}
          />
        ))}
      </div>
    </section>
  );
}
