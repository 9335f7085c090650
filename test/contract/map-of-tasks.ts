import { by, type Coverage } from './coverage.js';

const SHAPE = '2.13: a task, in its documented shape';
const NAMES = '4.11 rule 2: names of 1 to 64 characters that a path can have';
const OWNERS = '4.11 rule 4: the tasks of the workspace, for each of its keys and no other';
const REFUSED = '7.4 invalid_task: fields that no task has';
const BOUNDS: Coverage = {
  elsewhere: ['test/tasks/put-task.test.ts', 'test/storage/tasks/tasks.test.ts'],
};

const KEPT = '4.11 rule 9: numbers of an answer are kept, and nothing else';

const LABELS = '4.11 rule 10: answers are labelled, and labels corrected';
const INVALID_LABELS = '4.11 rule 11: one invalid line refuses all labels of a call';

const FITTED = '4.11 rule 14: a fit of the labels, in its documented shape';
const TOO_FEW = '4.11 rule 14: too few labels are refused with the number';

const SHADOW_SHAPE = '2.15: a shadow, in its documented shape';
const SHADOW_PUT = '4.11 rule 18: a shadow is checked, and no part of a version';
const SHADOW_FREE = '4.11 rule 19: shadows are compared, and not charged';
const SHADOW_LABELS = '2.15 accuracy: labels of answers that both builds have given';
const PROMOTED = '4.11 rule 21: a shadow is promoted, unless something has changed';
const PROMOTION_BODY = '8 limit promotion body: 1 KiB as sent and decompressed, and no more';
const DRIFT = ['test/server/task-drift.test.ts'];

/** The rules about tasks. */
export const TASK_RULES: Readonly<Record<string, Coverage>> = {
  '2.13 questions': by(SHAPE, '2.13 questions: kept in the order sent'),
  '2.13 model': by(SHAPE, '4.11 rule 1: other questions or another model make a version, an equal body none'),
  '2.13 settings': by(SHAPE, REFUSED),
  '2.13 versions': by(
    SHAPE,
    '4.11 rule 1: other questions or another model make a version, an equal body none',
  ),
  '2.13 answers': by(SHAPE, KEPT),
  '2.13 labels': by(SHAPE, LABELS),
  '2.13 fit': by(SHAPE, FITTED),
  '2.13 fitted_at': by(SHAPE, FITTED),
  '2.13 shadow': by(SHADOW_SHAPE),
  '2.15 settings': by(SHADOW_SHAPE),
  '2.15 builds': by(SHADOW_SHAPE),
  '2.15 since': by(SHADOW_SHAPE),
  '2.15 questions': by(SHADOW_SHAPE),
  '2.15 agreement': { by: [SHADOW_SHAPE], elsewhere: ['test/statistics/shadow.test.ts'] },
  '2.15 differences': { by: [SHADOW_SHAPE], elsewhere: ['test/statistics/shadow.test.ts'] },
  '2.15 accept': { by: [SHADOW_SHAPE], elsewhere: ['test/statistics/shadow.test.ts'] },
  '2.15 accuracy': by(SHADOW_LABELS),
  '2.13 drift': { by: [SHAPE, FITTED], elsewhere: DRIFT },
  '2.13 warnings': { by: [SHAPE], elsewhere: [...DRIFT, 'test/tasks/calibration.test.ts'] },
  '2.13 times': by(SHAPE),
  '2.14 of': by(FITTED),
  '2.14 questions': by(FITTED),
  '2.14 labels': by(FITTED),
  '2.14 temperature': { by: [FITTED], elsewhere: ['test/statistics/threshold.test.ts'] },
  '2.14 quality': { by: [FITTED], elsewhere: ['test/statistics/threshold.test.ts'] },
  '2.14 threshold': { by: [FITTED], elsewhere: ['test/statistics/threshold.test.ts'] },
  '2.14 more': { elsewhere: ['test/statistics/threshold.test.ts'] },
  '2.16 answers': { by: [FITTED], elsewhere: DRIFT },
  '2.16 shares': { by: [FITTED], elsewhere: DRIFT },
  '2.16 alarm': { elsewhere: [...DRIFT, 'test/tasks/monitor-object.test.ts'] },
  '2.16 errors': { by: [FITTED], elsewhere: DRIFT },
  '4.11 rule 1': by('4.11 rule 1: other questions or another model make a version, an equal body none'),
  '4.11 rule 2': by(NAMES),
  '4.11 rule 3': by('4.11 rule 3: questions and model are checked as those of a request'),
  '4.11 rule 4': by(OWNERS),
  '4.11 rule 5': by('4.11 rule 5: a deleted task is gone, and its name can be used again'),
  '4.11 rule 6': by('4.11 rule 6: free, for a paused key too, and not under the path of a model'),
  '4.11 rule 7': by(
    '4.11 rule 7: the questions of the task, answered and charged as by /v1/decide',
    '4.11 rule 7: questions and model are those of the task',
  ),
  '4.11 rule 8': by('4.11 rule 8: the response of /v1/decide, with accept and task'),
  '4.11 rule 9': {
    by: [KEPT],
    elsewhere: ['test/storage/tasks/answers.test.ts'],
  },
  '4.11 rule 10': { by: [LABELS], elsewhere: ['test/tasks/read-labels.test.ts'] },
  '4.11 rule 11': {
    by: [INVALID_LABELS],
    elsewhere: ['test/storage/tasks/labels.test.ts', 'test/tasks/read-labels.test.ts'],
  },
  '4.11 rule 12': by('4.11 rule 12: a state is decided first, and charged with its label'),
  '4.11 rule 13': { elsewhere: ['test/storage/tasks/labels.test.ts'] },
  '4.11 rule 14': by(FITTED, TOO_FEW),
  '4.11 rule 15': {
    by: ['4.11 rule 15: accept follows the fit in force'],
    elsewhere: [
      'test/tasks/put-task.test.ts',
      'test/tasks/calibration.test.ts',
      'test/server/task-calibration.test.ts',
      'test/statistics/threshold.test.ts',
    ],
  },
  '4.11 rule 16': { elsewhere: ['test/statistics/guarantee.test.ts'] },
  '4.11 rule 17': { elsewhere: ['test/storage/tasks/tasks.test.ts'] },
  '4.11 rule 18': by(SHADOW_PUT),
  '4.11 rule 19': {
    by: [SHADOW_FREE],
    elsewhere: ['test/server/shadows.test.ts', 'test/server/shadow-runs.test.ts'],
  },
  '4.11 rule 20': { elsewhere: ['test/storage/tasks/shadows.test.ts'] },
  '4.11 rule 21': { by: [PROMOTED], elsewhere: ['test/storage/tasks/shadows.test.ts'] },
  '4.11 rule 22': {
    elsewhere: [...DRIFT, 'test/storage/tasks/monitors.test.ts', 'test/server/task-monitors.test.ts'],
  },
  '4.11 rule 23': {
    elsewhere: ['test/statistics/drift-simulated.test.ts', 'test/statistics/error-test.test.ts'],
  },
  '7.4 too_few_labels': by(TOO_FEW),
  '7.4 invalid_labels': by(INVALID_LABELS),
  '7.4 no_shadow': by(PROMOTED),
  '7.4 shadow_changed': { by: [PROMOTED], elsewhere: ['test/tasks/promote-task.test.ts'] },
  '7.4 too_many_labels': {
    elsewhere: ['test/server/task-labels.test.ts', 'test/storage/tasks/labels.test.ts'],
  },
  '7.4 task_not_found': by(OWNERS, NAMES),
  '7.4 invalid_task': by(NAMES, REFUSED),
  '7.4 too_many_tasks': BOUNDS,
  '8 limit task names': by(NAMES),
  '8 limit tasks': BOUNDS,
  '8 limit task versions': BOUNDS,
  '8 limit task body': by('8 limit task body: 256 KiB as sent and decompressed, and no more'),
  '8 limit tasks together': BOUNDS,
  '8 limit task answers': { elsewhere: ['test/storage/tasks/answers.test.ts'] },
  '8 limit labels': {
    elsewhere: ['test/tasks/label-rows.test.ts', 'test/storage/tasks/labels.test.ts'],
  },
  '8 limit label body': { elsewhere: ['test/tasks/read-labels.test.ts'] },
  '8 limit label lines': { elsewhere: ['test/tasks/read-labels.test.ts'] },
  '8 limit shadow share': by(SHADOW_PUT),
  '8 limit promotion body': by(PROMOTION_BODY),
  '8 limit task description': by(REFUSED),
  '8 limit target_error': by(REFUSED),
  '8 limit confidence': by(REFUSED),
};
