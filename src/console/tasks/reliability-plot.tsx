import { DataTable } from '../ui/data-table.js';
import { count, percent, share, whole } from '../ui/format-values.js';
import type { FittedQuestion } from './fit-types.js';
import { roundBottom } from './plot-ticks.js';
import { fixed, type PlotPoint, XyPlot } from './xy-plot.js';

type Bin = FittedQuestion['quality']['reliability'][number];

const pointOf = ({ n, from, to, confidence, accuracy }: Bin): PlotPoint => ({
  x: confidence,
  y: accuracy,
  text: `Confidence ${share(from)} to ${share(to)}, mean ${percent(confidence)}: ${percent(accuracy)} of ${count(n, 'label')} correct.`,
});

/** Accuracy against confidence. Of a calibrated model, both are equal. */
export function ReliabilityPlot({ bins }: { readonly bins: readonly Bin[] }) {
  const from = roundBottom(Math.min(...bins.flatMap(({ confidence, accuracy }) => [confidence, accuracy])));
  return (
    <div>
      <XyPlot
        title="Reliability"
        summary="Accuracy by confidence; on the dashed line, both are equal."
        x={{ label: 'Mean confidence (%)', from, to: 1 }}
        y={{ label: 'Accuracy (%)', from, to: 1 }}
        points={bins.map(pointOf)}
      >
        {({ left, right, top, bottom }) => (
          <line class="ideal" x1={left} y1={bottom} x2={fixed(right)} y2={fixed(top)} />
        )}
      </XyPlot>
      <details>
        <summary>Numbers of the reliability</summary>
        <DataTable
          label="Table of the reliability"
          rows={bins}
          keyOf={({ from: low }) => low}
          columns={[
            { title: 'From', number: true, cell: (bin) => share(bin.from) },
            { title: 'To', number: true, cell: (bin) => share(bin.to) },
            { title: 'Mean', number: true, cell: (bin) => percent(bin.confidence) },
            { title: 'Correct', number: true, cell: (bin) => percent(bin.accuracy) },
            { title: 'Labels', number: true, cell: (bin) => whole(bin.n) },
          ]}
        />
      </details>
    </div>
  );
}
