import { useState } from 'preact/hooks';
import { scaleTop } from './scale-top.js';

interface PlotProps {
  readonly label: string;
  /** The newest value as text. */
  readonly now: string;
  /** Oldest first. */
  readonly values: readonly number[];
  /** Parts of the values, the largest first: bars in front of theirs. */
  readonly parts?: ReadonlyArray<readonly number[]>;
  /** How many values fit; fewer are drawn at the right. */
  readonly room: number;
  /** The value at the top; absent: a round number above the largest of `values`. */
  readonly max?: number;
  /** A value with its unit. */
  readonly format: (value: number) => string;
  /** The text of the value at a place of `values`; absent: `format`. */
  readonly describe?: (at: number) => string;
  /** When the value at a place of `values` was measured, as text. */
  readonly timeOf?: (at: number) => string;
  /** What the width is, such as `60 s`. */
  readonly span: string;
  /** A line for a quantity over time, bars for separate things such as waves. */
  readonly shape?: 'line' | 'bars';
}

const WIDTH = 240;
const HEIGHT = 48;

/**
 * A name, its newest value, and the values before it as a drawing, which is decoration: screen readers read the value. The
 * pointer shows the value below it.
 */
export function Plot(plot: PlotProps) {
  const { label, now, values, parts = [], room, max, format, describe, timeOf, span, shape = 'line' } = plot;
  const [at, setAt] = useState<number | null>(null);
  const top = max ?? scaleTop(Math.max(0, ...values));
  const height = (value: number) => (Math.min(value, top) / top) * HEIGHT;
  const first = room - values.length;
  const place = at === null ? -1 : at - first;
  const pointed = values[place];
  const shown = pointed === undefined ? now : (describe?.(place) ?? format(pointed));
  const before = pointed === undefined || timeOf === undefined ? '' : `${timeOf(place)}: `;
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    setAt(Math.min(room - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * room))));
  };
  return (
    <figure class="plot">
      <figcaption class="named-value">
        <span class="muted">{label}</span>
        <strong>{before + shown}</strong>
      </figcaption>
      <svg
        viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
      >
        {shape === 'line' ? (
          <Line heights={values.map(height)} room={room} />
        ) : (
          [values, ...parts].map((each, depth) => (
            <g key={depth} class={`depth-${depth}`}>
              <Bars heights={each.map(height)} room={room} />
            </g>
          ))
        )}
      </svg>
      <p class="axis muted" aria-hidden="true">
        <span>{span}</span>
        <span>top {format(top)}</span>
      </p>
    </figure>
  );
}

interface ShapeProps {
  readonly heights: readonly number[];
  readonly room: number;
}

function Line({ heights, room }: ShapeProps) {
  const step = WIDTH / (room - 1);
  const first = (room - heights.length) * step;
  const points = heights
    .map((height, at) => `${fixed(first + at * step)},${fixed(HEIGHT - height)}`)
    .join(' ');
  return (
    <>
      <polygon points={`${fixed(first)},${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
      <polyline points={points} />
    </>
  );
}

function Bars({ heights, room }: ShapeProps) {
  const step = WIDTH / room;
  const first = room - heights.length;
  return heights.map((height, at) => (
    <rect
      key={at}
      x={fixed((first + at) * step)}
      y={fixed(HEIGHT - height)}
      width={fixed(step * 0.8)}
      height={fixed(height)}
    />
  ));
}

const fixed = (value: number): string => value.toFixed(1);
