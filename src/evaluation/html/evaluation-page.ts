import { showCount, VERSION } from '../../base/index.js';
import { beside, facts, type Html, html, page, type Section, table } from '../../report/index.js';
import type { ComparisonReport, EvaluationReport } from '../report.js';
import {
  largestFirst,
  modelsText,
  percent,
  resampledText,
  shortened,
  targetText,
} from '../show-evaluation.js';
import type { WrongAnswer } from '../wrong-answers.js';
import { biases } from './biases-section.js';
import { byQuestion, errors } from './errors-section.js';
import { fitSection } from './fit-section.js';
import { accuracies, coverage, reliability } from './quality-charts.js';
import { type Part, partsOf, qualityTable } from './quality-table.js';

/** More rows would not fit on a printed page. */
const GROUPS_DRAWN = 30;

/** A target may send any number of types and messages of any length. */
const FAILURES_SHOWN = 20;
const TYPE_LENGTH = 100;
const MESSAGE_LENGTH = 500;

/**
 * An evaluation as a self-contained HTML page.
 *
 * @param wrong the wrong answers, the most confident first
 */
export async function evaluationPage(
  report: EvaluationReport,
  wrong: readonly WrongAnswer[],
): Promise<string> {
  const types = [{ name: 'all', quality: report.overall }, ...partsOf(report.by_type, (type) => type)];
  // With one type, all questions are those of the type.
  const shown = types.length === 2 ? types.slice(1) : types;
  const groups = largestFirst(report.by_group).map(([name, quality]) => ({ name, quality }));
  const sections: Section[] = [
    { title: 'Summary', content: summary(report, types) },
    await reliability(shown),
    await coverage(shown),
    await optionCounts(report),
    ...byQuestion(report),
    ...errors(wrong),
    ...(groups.length === 0 ? [] : [await byGroup(report, groups)]),
    ...biases(report),
    ...(report.fit === undefined ? [] : [fitSection(report.fit)]),
    ...failures(report),
  ];
  return page(
    `Evaluation of ${modelsText(report.models)}`,
    `${report.cases.file}: ${report.answered} of ${report.cases.count} cases answered`,
    sections,
    foot(report),
  );
}

/** How the figures were computed, at the end of a page. */
export function foot({ cases, seed, resamples, overall }: EvaluationReport | ComparisonReport): string {
  return `decider ${VERSION}. Intervals: 95 %, ${resamples} bootstrap resamples, seed ${seed}. ${resampledText(overall.resampled)} SHA-256 of ${cases.file}: ${cases.sha256}.`;
}

function summary(report: EvaluationReport, types: readonly Part[]): Html[] {
  const { target, models, tokens, cost, by_split, repeated } = report;
  const splits = partsOf(by_split, (split) => split.replace('_', '-'));
  return [
    facts([
      ['Models', modelsText(models)],
      ['Target', targetText(target)],
      ['Questions answered', String(report.overall.n)],
      ['Input tokens', showCount(tokens.input)],
      ...(cost === null ? [] : [['Cost', `${cost.amount} ${cost.currency}`] as const]),
      ...(repeated === 0 ? [] : [['Requests repeated after 429 or 503', String(repeated)] as const]),
    ]),
    ...notes(report),
    qualityTable('Quality by type', 'Type', types),
    ...(splits.length === 0 ? [] : [qualityTable('Quality by split', 'Split', splits)]),
  ];
}

function notes({ committed, threshold }: EvaluationReport): Html[] {
  return [
    ...(committed === 0
      ? []
      : [
          html`<p><strong>${committed} noul questions have only the committed probability</strong>, at most 0.20 or at least 0.80. Their accuracy is right; their other metrics are those of the committed probability.</p>`,
        ]),
    ...(threshold === null
      ? []
      : [
          html`<p>The threshold for 5&nbsp;% error on the development split, ${threshold.development.threshold.toFixed(4)}, accepts ${percent(threshold.held_out.coverage)} of the held-out split with ${percent(threshold.held_out.error)} error.</p>`,
        ]),
  ];
}

async function optionCounts({ by_option_count, overall }: EvaluationReport): Promise<Section> {
  const parts = partsOf(by_option_count, (count) => (count === '1' ? '1 option' : `${count} options`));
  return {
    title: 'Number of options',
    content: [
      beside([
        await accuracies('Accuracy by number of options', parts, overall.accuracy),
        qualityTable('Quality by number of options', 'Options', parts),
      ]),
    ],
  };
}

async function byGroup({ groups, overall }: EvaluationReport, parts: readonly Part[]): Promise<Section> {
  return {
    title: 'Groups',
    content: [
      ...(groups > parts.length ? [html`<p>The ${parts.length} largest of ${groups} groups.</p>`] : []),
      beside([
        await accuracies('Accuracy of the largest groups', parts.slice(0, GROUPS_DRAWN), overall.accuracy),
        qualityTable('Quality by group', 'Group', parts),
      ]),
    ],
  };
}

function failures(report: EvaluationReport): Section[] {
  const content = [
    ...failureTable('Cases without an answer', 'Cases', report.failures),
    ...failureTable('Further requests for biases without an answer', 'Requests', report.bias_failures),
  ];
  return content.length === 0 ? [] : [{ title: 'Failures', content }];
}

function failureTable(caption: string, counted: string, types: EvaluationReport['failures']): Html[] {
  if (types.length === 0) return [];
  const rows = types
    .slice(0, FAILURES_SHOWN)
    .map(({ type, cases, example }) => [
      shortened(type, TYPE_LENGTH),
      String(cases),
      shortened(example, MESSAGE_LENGTH),
    ]);
  const columns = [
    { title: 'Type', kind: 'text' },
    { title: counted, kind: 'number' },
    { title: 'First message', kind: 'text' },
  ] as const;
  return [
    table(caption, columns, rows),
    ...(types.length > FAILURES_SHOWN
      ? [html`<p>The ${FAILURES_SHOWN} most frequent of ${types.length} types.</p>`]
      : []),
  ];
}
