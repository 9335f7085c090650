import { showCount, showTime, visible } from '../base/index.js';
import type { Task, TaskFit } from '../client/index.js';
import { entriesOf } from './sent-json.js';
import { shadowText } from './shadow-text.js';
import { facts, table } from './text-table.js';

type QuestionFit = TaskFit['questions'][string];
type Fitted = Extract<QuestionFit, { readonly tested: number }>;

const HEAD = ['question', 'labels', 'accuracy', 'ECE', 'threshold', 'coverage', 'error at most'];
const NUMBERS = HEAD.slice(1);

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** A share that someone has chosen, with all its digits. */
export const chosen = (share: number): string => `${Number((share * 100).toFixed(6))} %`;

/**
 * A task as text for a terminal.
 *
 * @param names those of its questions, in their order
 */
export function taskText(task: Task, names: readonly string[]): string {
  const { name, version, model, description, answers, labels, fit } = task;
  // A server of 0.2.0 sends neither.
  const { shadow = null, warnings = [] } = task as Partial<Task>;
  return [
    facts({
      task: name,
      version: String(version),
      model: model ?? 'the default model',
      ...(description !== null && { description }),
      'target error': targetText(task),
      answers: showCount(answers),
      labels: showCount(labels),
      created: showTime(task.created_at),
      changed: showTime(task.updated_at),
    }),
    '',
    table(['question', 'type', 'instructions'], entriesOf(names, task.questions).map(questionRow)),
    '',
    fit === null ? 'No fit is in force, so `accept` is null.' : fitText(fit, names),
    ...(warnings.length > 0 ? [''] : []),
    ...warnings.map(({ message }) => `Warning: ${visible(message)}`),
    ...(shadow === null ? [] : ['', shadowText(shadow, names)]),
  ].join('\n');
}

const questionRow = ([name, { type, instructions }]: readonly [string, Task['questions'][string]]) => [
  name,
  type,
  instructions ?? '',
];

const targetText = ({ target_error, confidence }: Pick<Task, 'target_error' | 'confidence'>): string =>
  `${chosen(target_error)}, with ${chosen(confidence)} confidence`;

/**
 * A fit as text for a terminal.
 *
 * @param names those of its questions, in their order
 */
export function fitText(fit: TaskFit, names: readonly string[]): string {
  const { task, model, fitted_at, questions } = fit;
  const entries = entriesOf(names, questions);
  return [
    `Fit of ${task.name}, version ${task.version}, to answers of ${model}, ${showTime(fitted_at)}.`,
    `Errors among accepted answers: at most ${targetText(fit)}.`,
    '',
    table(
      HEAD,
      entries.map(([name, fitted]) => fittedRow(name, fitted)),
      NUMBERS,
    ),
    ...entries.flatMap(([name, fitted]) => notesOf(name, fitted)),
  ].join('\n');
}

const isFitted = (fitted: QuestionFit): fitted is Fitted => 'tested' in fitted;

function fittedRow(name: string, fitted: QuestionFit): string[] {
  if (!isFitted(fitted)) return [name, showCount(fitted.labels), '', '', 'too few labels', '', ''];
  const { labels, quality, threshold } = fitted;
  const measured = [name, showCount(labels), percent(quality.accuracy), quality.ece.toFixed(3)];
  if (threshold === null) return [...measured, 'none', '', ''];
  return [
    ...measured,
    threshold.threshold.toFixed(3),
    percent(threshold.coverage.value),
    percent(threshold.error_max),
  ];
}

/** What a question would need for a threshold, or for a larger coverage. */
function notesOf(name: string, fitted: QuestionFit): string[] {
  if (!isFitted(fitted)) return [`${visible(name)}: ${fitted.needed} labels are needed.`];
  if (fitted.more.length === 0) return [];
  const steps = fitted.more.map(
    ({ coverage, labels }) => `${percent(coverage)} with ${showCount(labels)} labels`,
  );
  return [`${visible(name)}: the coverage would probably be ${steps.join(', ')}.`];
}
