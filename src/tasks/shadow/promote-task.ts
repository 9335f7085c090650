import type { AuditRecord } from '../../access/index.js';
import { ApiError } from '../../api/index.js';
import { putTask, type StoredBefore } from '../put-task.js';
import type { Task, TaskShadow } from '../task-types.js';
import { type Compared, comparesSame, type ShadowRecord } from './shadow-record.js';

/** What is stored of a task whose shadow is to be promoted. */
export interface StoredShadow extends StoredBefore {
  readonly task: Task;
  readonly questions: string;
  /** What is counted of its shadow; undefined: nothing. */
  readonly counted: ShadowRecord | undefined;
}

/** What the caller has seen of the task. Null: it does not matter. */
export interface ExpectedShadow {
  readonly version: number | null;
  /** The build that is to be promoted. */
  readonly build: string | null;
}

/** A task whose shadow was promoted. */
export interface Promotion {
  readonly task: Task;
  /** The entry of the audit log; null: the shadow was promoted before, and nothing is stored. */
  readonly record: AuditRecord | null;
}

/**
 * The task with the shadow build as its model, as a new version without a shadow. A call that names the version is answered
 * again as it was: its first answer may have been lost.
 *
 * @param buildsOf returns the builds that the model and the shadow of the stored task stand for now; called only if there is a
 *   shadow, so that a promotion is answered again when they are gone
 * @param key the id of the caller's key
 * @param now milliseconds since 1970
 * @throws ApiError `no_shadow`; `shadow_changed` if what is stored or counted is not what the caller expects, or not what is
 *   in use; `too_many_tasks`; what `buildsOf` throws
 */
export function promoteTask(
  { counted, ...before }: StoredShadow,
  buildsOf: (shadow: TaskShadow) => Omit<Compared, 'version'>,
  expected: ExpectedShadow,
  key: string,
  now: number,
): Promotion {
  const { task, questions } = before;
  if (task.shadow === null) {
    if (isMadeBy(task, expected)) return { task, record: null };
    throw new ApiError('no_shadow', 'The task has no shadow build.');
  }
  const builds = buildsOf(task.shadow);
  const { shadow } = builds;
  if (expected.version !== null && expected.version !== task.version)
    throw changed(`The version in use is ${task.version}, not ${expected.version}.`);
  if (expected.build !== null && expected.build !== shadow)
    throw changed(`The shadow build is ${shadow}, not the expected one.`);
  if (counted?.version !== task.version)
    throw changed(`Nothing was counted for version ${task.version}, which is in use.`);
  if (!comparesSame(counted, { version: task.version, ...builds }))
    throw changed(
      'The builds that were compared are not those that answer now, or have other temperatures or another profile.',
    );
  const { model, description, targetError, confidence, workspace, name } = task;
  const settings = { description, targetError, confidence, shadow: null };
  const promoted = putTask(before, task, { ...settings, questions, model: shadow }, now);
  const shown = ({ version }: Task, named: string | null) => ({ version: String(version), model: named });
  return {
    task: { ...promoted, promotedFrom: task.version },
    record: {
      action: 'task.promote',
      workspace,
      key,
      before: shown(task, model),
      after: { task: name, ...shown(promoted, shadow) },
    },
  };
}

/** Whether the version in use was made by a promotion that expected the same. */
const isMadeBy = ({ promotedFrom, model }: Task, { version, build }: ExpectedShadow): boolean =>
  version !== null && version === promotedFrom && (build === null || build === model);

const changed = (sentence: string) =>
  new ApiError('shadow_changed', `${sentence} Look at the task again, then decide.`);
