import type { ComponentChildren } from 'preact';
import { DataTable } from '../ui/data-table.js';
import { Facts } from '../ui/facts.js';
import { count, percent, percentWithin, share, whole } from '../ui/format-values.js';
import { CoveragePlot } from './coverage-plot.js';
import type { FittedQuestion, RefusedQuestion } from './fit-types.js';
import { ReliabilityPlot } from './reliability-plot.js';

interface QuestionFitProps {
  readonly name: string;
  readonly fit: FittedQuestion | RefusedQuestion;
  /** What the task wants: the most that the error may be. */
  readonly target: number;
  readonly open: boolean;
}

/** What the labels say about one question. */
export function QuestionFit({ name, fit, target, open }: QuestionFitProps) {
  return (
    <details class="question-fit" open={open}>
      <summary>
        <h3 dir="auto">{name === '' ? '(no name)' : name}</h3>
        <span class="muted"> {summaryOf(fit)}</span>
      </summary>
      {'refused' in fit ? (
        <p class="warning">
          Too few labels: {fit.needed} needed, {fit.labels} there.
        </p>
      ) : (
        <Fitted fit={fit} target={target} />
      )}
    </details>
  );
}

function summaryOf(fit: FittedQuestion | RefusedQuestion): string {
  if ('refused' in fit) return 'too few labels';
  if (fit.threshold === null) return 'no threshold keeps the target';
  return `accepts ${percent(fit.threshold.coverage.value)}`;
}

function Fitted({ fit, target }: { readonly fit: FittedQuestion; readonly target: number }) {
  const { labels, tested, temperature, quality, threshold, more } = fit;
  const { accuracy, ece, brier, log_loss: logLoss, ci } = quality;
  const facts: ReadonlyArray<readonly [string, ComponentChildren]> = [
    ['Threshold', threshold === null ? 'none' : share(threshold.threshold)],
    ['Coverage', threshold && percentWithin(threshold.coverage.value, threshold.coverage.ci)],
    ['Error of accepted answers', threshold && percentWithin(threshold.error.value, threshold.error.ci)],
    ['Upper bound of the error', threshold && percent(threshold.error_max)],
    ['Accuracy of all answers', percentWithin(accuracy, ci.accuracy)],
    ['Calibration error (ECE)', percentWithin(ece, ci.ece)],
    ['Brier score', share(brier)],
    ['Log loss', `${share(logLoss)} nats`],
    ['Labels, tested', `${whole(labels)}, ${whole(tested)}`],
    ['Temperature', temperature.value.toFixed(3)],
  ];
  return (
    <>
      <Facts facts={facts} />
      <div class="xy-plots">
        <ReliabilityPlot bins={quality.reliability} />
        <CoveragePlot points={quality.coverage} threshold={threshold} target={target} />
      </div>
      {more.length > 0 && <More more={more} present={labels} />}
    </>
  );
}

interface MoreProps {
  readonly more: FittedQuestion['more'];
  readonly present: number;
}

const More = ({ more, present }: MoreProps) => (
  <>
    <h4>What more labels would give</h4>
    <DataTable
      label="Table of larger coverages"
      rows={more}
      keyOf={({ threshold }) => threshold}
      columns={[
        { title: 'Coverage', number: true, cell: ({ coverage }) => percent(coverage) },
        { title: 'Labels needed', number: true, cell: ({ labels }) => `about ${whole(labels)}` },
        {
          title: 'Further labels',
          number: true,
          cell: ({ labels }) => (labels > present ? count(labels - present, 'label') : 'none'),
        },
      ]}
    />
  </>
);
