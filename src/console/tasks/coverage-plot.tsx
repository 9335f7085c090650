import { DataTable } from '../ui/data-table.js';
import { count, percent, share, whole } from '../ui/format-values.js';
import type { FittedQuestion } from './fit-types.js';
import { roundTop } from './plot-ticks.js';
import { fixed, type PlotPoint, type Scale, XyPlot } from './xy-plot.js';

type Point = FittedQuestion['quality']['coverage'][number];

const pointOf = ({ threshold, n, coverage, error }: Point): PlotPoint => ({
  x: coverage,
  y: error,
  text: `Threshold ${share(threshold)}: accepts ${percent(coverage)} (${count(n, 'label')}), of which ${percent(error)} are wrong.`,
});

interface CoveragePlotProps {
  readonly points: readonly Point[];
  readonly threshold: FittedQuestion['threshold'];
  readonly target: number;
}

/** The error among accepted answers against their share, with the threshold in force. */
export function CoveragePlot({ points, threshold, target }: CoveragePlotProps) {
  const top = roundTop(Math.max(target, ...points.map(({ error }) => error)));
  const where =
    threshold === null
      ? 'No threshold keeps the target.'
      : `The diamond is the threshold ${share(threshold.threshold)}.`;
  return (
    <div>
      <XyPlot
        title="Error by coverage"
        summary={`Below the dashed line, the error is within the target. ${where}`}
        x={{ label: 'Coverage: accepted answers (%)', from: 0, to: 1 }}
        y={{ label: 'Error (%)', from: 0, to: top }}
        points={points.map(pointOf)}
      >
        {(scale) => (
          <>
            <Target target={target} scale={scale} />
            {threshold !== null && <Threshold threshold={threshold} scale={scale} />}
          </>
        )}
      </XyPlot>
      <details>
        <summary>Numbers of the coverage</summary>
        <DataTable
          label="Table of the coverage"
          rows={points}
          keyOf={({ threshold: each }) => each}
          columns={[
            { title: 'Threshold', number: true, cell: (point) => share(point.threshold) },
            { title: 'Coverage', number: true, cell: (point) => percent(point.coverage) },
            { title: 'Labels', number: true, cell: (point) => whole(point.n) },
            { title: 'Error', number: true, cell: (point) => percent(point.error) },
          ]}
        />
      </details>
    </div>
  );
}

const Target = ({ target, scale }: { readonly target: number; readonly scale: Scale }) => (
  <>
    <line
      class="ideal"
      x1={scale.left}
      x2={scale.right}
      y1={fixed(scale.y(target))}
      y2={fixed(scale.y(target))}
    />
    <text x={scale.right} y={fixed(scale.y(target) - 5)} text-anchor="end">
      target {percent(target)}
    </text>
  </>
);

interface ThresholdProps {
  readonly threshold: NonNullable<FittedQuestion['threshold']>;
  readonly scale: Scale;
}

/** Half of the width of the diamond. */
const SIZE = 7;

function Threshold({ threshold: { coverage, error }, scale }: ThresholdProps) {
  const [x, y] = [scale.x(coverage.value), scale.y(error.value)];
  return (
    <g class="threshold">
      <line x1={fixed(x)} x2={fixed(x)} y1={scale.top} y2={scale.bottom} />
      <path d={`M${fixed(x - SIZE)} ${fixed(y)}l${SIZE} ${-SIZE}l${SIZE} ${SIZE}l${-SIZE} ${SIZE}z`} />
    </g>
  );
}
