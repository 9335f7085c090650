import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ticksOf } from './plot-ticks.js';

/** An axis of shares, which are shown in percent. */
export interface Axis {
  readonly label: string;
  /** The values at its ends. */
  readonly from: number;
  readonly to: number;
}

/** A point with what is said about it. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Places in the drawing. */
export interface Scale {
  x(value: number): number;
  y(value: number): number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface XyPlotProps {
  readonly title: string;
  /** What the plot shows, as a sentence. The pointer replaces it by what is said about the nearest point. */
  readonly summary: string;
  readonly x: Axis;
  readonly y: Axis;
  /** With growing x. */
  readonly points: readonly PlotPoint[];
  /** What is drawn below the points. */
  readonly children: (scale: Scale) => ComponentChildren;
}

/** The drawing's own units; `left` and `bottom` have room for the numbers of the axes. */
const WIDTH = 360;
const HEIGHT = 250;
const EDGES = { left: 46, right: 348, top: 12, bottom: 206 };

const scaleOf = (x: Axis, y: Axis): Scale => {
  const { left, right, top, bottom } = EDGES;
  const part = (value: number, { from, to }: Axis) => (value - from) / (to - from);
  return {
    ...EDGES,
    x: (value) => left + part(value, x) * (right - left),
    y: (value) => bottom - part(value, y) * (bottom - top),
  };
};

/** Points over two axes of shares. A table beside it has the same numbers. */
export function XyPlot({ title, summary, x, y, points, children }: XyPlotProps) {
  const [at, setAt] = useState<number | null>(null);
  const scale = scaleOf(x, y);
  const pointed = at === null ? undefined : points[at];
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    setAt(nearest(points, scale, ((event.clientX - left) / width) * WIDTH));
  };
  return (
    <figure class="xy-plot">
      <figcaption>
        <strong>{title}</strong>
        <span class="muted">{pointed?.text ?? summary}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}. ${summary} The table below has the numbers.`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setAt(null)}
      >
        <Axes x={x} y={y} scale={scale} />
        {children(scale)}
        <polyline
          class="curve"
          points={points.map((each) => `${fixed(scale.x(each.x))},${fixed(scale.y(each.y))}`).join(' ')}
        />
        {points.map((each, index) => (
          <circle
            key={index}
            class={index === at ? 'point pointed' : 'point'}
            cx={fixed(scale.x(each.x))}
            cy={fixed(scale.y(each.y))}
            r={index === at ? 6 : 3}
          />
        ))}
      </svg>
    </figure>
  );
}

/** The number of the point whose place is nearest; null without points. */
function nearest(points: readonly PlotPoint[], scale: Scale, place: number): number | null {
  let [best, distance]: [number | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const [index, { x }] of points.entries()) {
    const away = Math.abs(scale.x(x) - place);
    if (away < distance) [best, distance] = [index, away];
  }
  return best;
}

function Axes({ x, y, scale }: { readonly x: Axis; readonly y: Axis; readonly scale: Scale }) {
  const { left, right, top, bottom } = scale;
  return (
    <g class="axes">
      {ticksOf(y.from, y.to).map(({ value, text }) => (
        <g key={text}>
          <line class="grid" x1={left} x2={right} y1={fixed(scale.y(value))} y2={fixed(scale.y(value))} />
          <text x={left - 6} y={fixed(scale.y(value) + 4)} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {ticksOf(x.from, x.to).map(({ value, text }) => (
        <g key={text}>
          <line x1={fixed(scale.x(value))} x2={fixed(scale.x(value))} y1={bottom} y2={bottom + 4} />
          <text x={fixed(scale.x(value))} y={bottom + 17} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
      <path d={`M${left} ${top}V${bottom}H${right}`} />
      <text x={(left + right) / 2} y={HEIGHT - 6} text-anchor="middle">
        {x.label}
      </text>
      <text transform={`translate(12 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle">
        {y.label}
      </text>
    </g>
  );
}

export const fixed = (value: number): string => value.toFixed(1);
