export type { FittedQuestions, FittedTask, FitWork } from './fits/fit-labels.js';
export { fitJson } from './fits/fit-object.js';
export { FIT_THREAD } from './fits/fit-thread-file.js';
export { fitOf, fitsInForce, outdatedFitOf, withFit } from './fits/task-fit.js';
export {
  type Expected,
  type LabelOutcome,
  type LabelProblem,
  type LabelRow,
  LabelRows,
  type NewLabel,
  openExpected,
} from './labels/label.js';
export type { LabelCounts } from './labels/label-room.js';
export {
  checkLabels,
  invalidLabels,
  type LabelFault,
  type ReadLabel,
  type ReadLabels,
  readLabels,
  type SentLabels,
} from './labels/read-labels.js';
export { labelsByFit } from './monitor/labels-by-fit.js';
export { driftJson, outdatedWarnings, type TaskWarning, warningsOf } from './monitor/monitor-object.js';
export { type FirstLabels, TaskMonitor } from './monitor/task-monitor.js';
export { putTask, type StoredBefore } from './put-task.js';
export { QuestionCache } from './question-cache.js';
export { type ReadTask, readTask, type SentTask } from './read-task.js';
export {
  HISTORY,
  openFit,
  openHistory,
  openMonitor,
  openQuestions,
  openShadow,
  openTask,
  sealFit,
  sealMonitor,
  sealPut,
  sealShadow,
  sealTask,
  type TaskRow,
} from './sealed-task.js';
export type { CompareWork } from './shadow/compare-labels.js';
export {
  type ExpectedShadow,
  type Promotion,
  promoteTask,
  type StoredShadow,
} from './shadow/promote-task.js';
export { type ReadPromotion, readPromotion, type SentPromotion } from './shadow/read-promotion.js';
export { shadowJson } from './shadow/shadow-object.js';
export {
  type Compared,
  calibrationsOf,
  comparesSame,
  hasSameShadow,
  type NewPairs,
  type ShadowRecord,
  withPairs,
} from './shadow/shadow-record.js';
export {
  type AnswerRow,
  answerOf,
  answerRef,
  lineReference,
  openAnswer,
  type ShadowAnswer,
  sealAnswer,
  type TaskAnswer,
  withShadowAnswer,
} from './task-answer.js';
export {
  RETENTION_DOUBT_MS,
  RETENTION_EVERY_MS,
  type TaskBounds,
  workspaceAnswersMax,
} from './task-bounds.js';
export { taskEntry, taskJson } from './task-object.js';
export { isTaskName, requireTaskName, requireUnchanged, taskChanged, taskNotFound } from './task-refusals.js';
export type { AnswerSettled, LabelledRows, TaskCounts, TaskPlace, TaskStore } from './task-store.js';
export type { Task, TaskContent, TaskFit, TaskShadow, TaskVersion } from './task-types.js';
