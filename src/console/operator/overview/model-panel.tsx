import type { OperatorLane, OperatorLive } from '../../../api/index.js';
import { count, milliseconds, percent, whole } from '../../ui/format-values.js';
import { Plot } from './plot.js';
import { SAMPLES_MAX } from './samples.js';

type Model = OperatorLive['models'][number];

interface ModelPanelProps {
  readonly samples: readonly OperatorLive[];
  /** The newest state of the model. */
  readonly model: Model;
}

/** The queue and the lanes of a build of a model. */
export function ModelPanel({ samples, model: { id, loaded, queue, lanes } }: ModelPanelProps) {
  const waiting = (urgency: keyof typeof queue) =>
    samples.map(({ models }) => models.find((each) => each.id === id)?.queue[urgency] ?? 0);
  const title = `model-${id}`;
  return (
    <section class="panel" aria-labelledby={title}>
      <div class="bar">
        <h2 id={title}>{id}</h2>
        <span class={loaded ? 'badge done' : 'badge'}>{loaded ? 'loaded' : 'not loaded'}</span>
      </div>
      {loaded && (
        <div class="plots">
          <Plot
            label="Live requests waiting"
            format={whole}
            span={`${SAMPLES_MAX} s`}
            now={whole(queue.live)}
            values={waiting('live')}
            room={SAMPLES_MAX}
          />
          <Plot
            label="Batch lines waiting"
            format={whole}
            span={`${SAMPLES_MAX} s`}
            now={whole(queue.batch)}
            values={waiting('batch')}
            room={SAMPLES_MAX}
          />
        </div>
      )}
      {lanes.map((lane) => (
        <Lane key={lane.number} lane={lane} />
      ))}
    </section>
  );
}

/** How many waves of a lane are drawn. */
const WAVES_SHOWN = 32;

/** States in which a lane does not compute although it should. */
const BROKEN: ReadonlyArray<OperatorLane['state']> = ['restarting', 'resting', 'probing', 'stuck'];

const classOf = (state: OperatorLane['state']): string =>
  BROKEN.includes(state) ? 'badge failed' : state === 'busy' ? 'badge running' : 'badge';

function Lane({ lane }: { readonly lane: OperatorLane }) {
  const { number, device, state, plans, wave, cells } = lane;
  const waves = lane.waves.slice(-WAVES_SHOWN);
  const last = waves.at(-1);
  return (
    <section class="lane" aria-label={`Lane ${number}`}>
      <h3>
        Lane {number} <span class="muted">{device}</span> <span class={classOf(state)}>{state}</span>
      </h3>
      <div class="plots">
        <Plot
          label="Wave fill"
          format={percent}
          span={`${WAVES_SHOWN} waves`}
          now={last === undefined ? 'no wave yet' : percent(last.fill)}
          values={waves.map(({ fill }) => fill)}
          room={WAVES_SHOWN}
          max={1}
          shape="bars"
        />
        <Plot
          label="Wave duration"
          format={milliseconds}
          span={`${WAVES_SHOWN} waves`}
          now={last === undefined ? 'no wave yet' : milliseconds(last.ms)}
          values={waves.map(({ ms }) => ms)}
          room={WAVES_SHOWN}
          shape="bars"
        />
        <div class="gauges">
          <Gauge label="Wave in progress" value={wave.tokens} max={wave.max} unit="tokens" />
          <Gauge label="KV cache" value={cells.used} max={cells.max} unit="cells" />
          <p class="muted">{count(plans, 'plan')} in progress</p>
        </div>
      </div>
    </section>
  );
}

interface GaugeProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly unit: string;
}

/** How much of something is in use. */
const Gauge = ({ label, value, max, unit }: GaugeProps) => (
  <div class="gauge named-value">
    <span class="muted">{label}</span>
    <strong>
      {whole(value)} of {whole(max)} {unit}
    </strong>
    <div class="stack" aria-hidden="true">
      <span class="used" style={{ width: `${max === 0 ? 0 : (value / max) * 100}%` }} />
    </div>
  </div>
);
