import { exactMoney, money } from '../ui/format-values.js';
import { type Bar, KINDS } from './days.js';

/** The height of the plot, in its own units. */
const HEIGHT = 100;
/** The part of a day's width that its bar takes. */
const BAR_WIDTH = 0.8;

interface DayPlotProps {
  /** At least one, with a sum above zero. */
  readonly bars: readonly Bar[];
  readonly currency: string;
}

/** The charges by day as bars, stacked by kind. The table has the same numbers. */
export function DayPlot({ bars, currency }: DayPlotProps) {
  const highest = bars.reduce((most, bar) => (bar.sum > most.sum ? bar : most));
  const most = `${money(highest.sum, currency)} on ${highest.day}`;
  return (
    <figure class="day-plot">
      <figcaption>
        <span class="muted">Highest: {most}</span>
        <ul>
          {KINDS.map(([kind, title]) => (
            <li key={kind}>
              <span class={`swatch kind-${kind}`} aria-hidden="true" /> {title}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Charges by day, from ${bars[0]?.day} to ${bars.at(-1)?.day}; highest ${most}. The table has the numbers.`}
      >
        {bars.map((bar, at) => (
          <DayBar key={bar.day} bar={bar} at={at} scale={HEIGHT / highest.sum} currency={currency} />
        ))}
      </svg>
      <p class="ends muted" aria-hidden="true">
        <span>{bars[0]?.day}</span>
        <span>{bars.length > 1 && bars.at(-1)?.day}</span>
      </p>
    </figure>
  );
}

interface DayBarProps {
  readonly bar: Bar;
  /** The place of the day. */
  readonly at: number;
  /** Units of height per unit of the currency. */
  readonly scale: number;
  readonly currency: string;
}

function DayBar({ bar: { day, amounts, sum }, at, scale, currency }: DayBarProps) {
  let top = HEIGHT;
  const parts = KINDS.map(([kind]) => {
    const height = amounts[kind] * scale;
    top -= height;
    return { kind, height, top };
  });
  return (
    <g>
      <title>{`${day}: ${exactMoney(sum, currency)}`}</title>
      {/* The whole height of the day shows the title. */}
      <rect class="day" x={at} y={0} width={1} height={HEIGHT} />
      {parts.map(({ kind, height, top: y }) => (
        <rect
          key={kind}
          class={`kind-${kind}`}
          x={at + (1 - BAR_WIDTH) / 2}
          y={y}
          width={BAR_WIDTH}
          height={height}
        />
      ))}
    </g>
  );
}
