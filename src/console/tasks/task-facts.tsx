import type { ComponentChildren } from 'preact';
import type { Task } from '../../client/index.js';
import { Facts } from '../ui/facts.js';
import { percent, time, whole } from '../ui/format-values.js';

/** The description, the settings and the counts of a task. */
export function TaskFacts({ task }: { readonly task: Task }) {
  const { description, version, model, answers, labels, fit } = task;
  const facts: ReadonlyArray<readonly [string, ComponentChildren]> = [
    ['Model', model ?? 'the default model'],
    ['Version in use', whole(version)],
    ['Answers kept', whole(answers)],
    ['Labelled answers', whole(labels)],
    ['Target error', percent(task.target_error)],
    ['Confidence', percent(task.confidence)],
    ['Fit in force', fit === null ? 'none' : time(fit.fitted_at)],
    ['Made', time(task.created_at)],
    ['Changed', time(task.updated_at)],
  ];
  return (
    <>
      {description !== null && <p dir="auto">{description}</p>}
      {task.warnings.map(({ type, question, message }) => (
        <p key={`${type} ${question}`} class="warning" dir="auto">
          {message}
        </p>
      ))}
      <Facts facts={facts} />
    </>
  );
}
