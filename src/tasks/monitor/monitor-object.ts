import type { Question } from '../../decide/index.js';
import { type DriftAlarm, type DriftReport, type ErrorTest, evidenceOf } from '../../statistics/index.js';
import type { TaskFit } from '../task-types.js';
import type { QuestionReport } from './task-monitor.js';

/** A warning about a question of a task. `type` never changes, the message may. */
export interface TaskWarning {
  readonly type: 'drift' | 'error_above_target' | 'fit_outdated';
  readonly question: string;
  readonly message: string;
}

/**
 * What is known of the answers since the fit, as JSON (contract 2.16), in the order of the questions.
 *
 * @param questions those of the version
 */
export function driftJson(reports: readonly QuestionReport[], questions: readonly Question[]): string {
  const entries = reports.map((report, at) => {
    const value = JSON.stringify(questionObject(report, questions[at]));
    return `${JSON.stringify(report.name)}:${value}`;
  });
  return `{${entries.join(',')}}`;
}

/** The alarms that are raised, as sentences. */
export const warningsOf = (
  reports: readonly QuestionReport[],
  questions: readonly Question[],
): TaskWarning[] =>
  reports.flatMap(({ name, drift, errors }, at) => [
    ...(drift === null || drift.alarm === null
      ? []
      : [
          { type: 'drift' as const, question: name, message: driftMessage(name, drift.alarm, questions[at]) },
        ]),
    ...(errors === null || errors.alarm === null
      ? []
      : [{ type: 'error_above_target' as const, question: name, message: errorMessage(name, errors) }]),
  ]);

/**
 * That thresholds are not in force any more.
 *
 * @param fit one of another calibration than that of its build; see `outdatedFitOf`. Undefined: there is none
 */
export const outdatedWarnings = (fit: TaskFit | undefined, questions: readonly Question[]): TaskWarning[] =>
  questions.flatMap(({ name }, at) =>
    (fit?.acceptances[at]?.threshold ?? null) === null
      ? []
      : [{ type: 'fit_outdated' as const, question: name, message: outdatedMessage(name, fit as TaskFit) }],
  );

function questionObject({ drift, errors }: QuestionReport, question: Question | undefined) {
  if (drift === null) return null;
  const { answers, window, chosen, confidence, alarm } = drift;
  return {
    answers,
    window,
    chosen: shiftObject(chosen),
    confidence: shiftObject(confidence),
    alarm: alarm === null ? null : alarmObject(alarm, question),
    errors: errors === null ? null : errorsObject(errors),
  };
}

const shiftObject = ({ labelled, window, stability }: DriftReport['chosen']) => ({
  stability_index: stability?.value ?? null,
  unchanged: stability?.unchanged ?? null,
  labelled,
  window,
});

const alarmObject = (
  { after_answers, reference, of, at, reference_share, window_share }: DriftAlarm,
  question: Question | undefined,
) => ({
  after_answers,
  compared_with: reference,
  ...(of === 'chosen' ? { chosen: optionOf(question, at) } : { confidence_below: at }),
  share_before: reference_share,
  share_now: window_share,
});

const errorsObject = (errors: ErrorTest) => ({
  labels: errors.labels,
  wrong: errors.wrong,
  evidence: evidenceOf(errors),
  alarm_at: 1 / (1 - errors.confidence),
  after_labels: errors.alarm,
});

const optionOf = (question: Question | undefined, index: number): string =>
  question?.options[index]?.key ?? String(index);

function driftMessage(name: string, alarm: DriftAlarm, question: Question | undefined): string {
  const { of, at, reference, after_answers, reference_share: before, window_share: now } = alarm;
  const what =
    of === 'chosen'
      ? `${JSON.stringify(optionOf(question, at))} was chosen in`
      : `the confidence was below ${at} in`;
  const than = reference === 'labelled' ? 'of the labelled answers' : 'of the answers before them';
  return (
    `The answers to ${JSON.stringify(name)} have changed: ${what} ${percent(now)} of the last answers (after ${after_answers}), ` +
    `and in ${percent(before)} ${than}. Label recent answers, then fit again.`
  );
}

/** The alarm stays, also if later labels are better: then the share of all labels alone would contradict it. */
const errorMessage = (name: string, { labels, wrong, error, alarm }: ErrorTest): string =>
  `The error among accepted answers to ${JSON.stringify(name)} was above the target of ${percent(error)} when ${alarm} were ` +
  `labelled since the fit: of ${labels} until now, ${wrong} are wrong. Fit again.`;

const outdatedMessage = (name: string, { build, calibration }: TaskFit): string =>
  `The threshold of ${JSON.stringify(name)} is not in force: ${
    calibration === undefined
      ? 'an earlier version of the server made the fit'
      : `the temperatures, the profile or the files of ${build} have changed since the fit`
  }. Label recent answers, then fit again.`;

const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;
