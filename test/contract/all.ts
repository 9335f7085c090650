import type { ContractTest } from '../support/contract/suite.js';
import { ANSWERS } from './answers.js';
import { BATCHES_ENDPOINTS } from './batches-endpoints.js';
import { BATCHES_LIFECYCLE } from './batches-lifecycle.js';
import { BATCHES_LINES } from './batches-lines.js';
import { BATCHES_OBJECTS } from './batches-objects.js';
import { BATCHES_ONCE } from './batches-once.js';
import { BATCHES_RESULTS } from './batches-results.js';
import { BATCHES_SUBMIT } from './batches-submit.js';
import { BATCHES_TASKS } from './batches-tasks.js';
import { BATCHES_WEBHOOK } from './batches-webhook.js';
import { ENDPOINTS } from './endpoints.js';
import { ERRORS_OF_DECIDE } from './errors.js';
import { IMAGES } from './images.js';
import { KEYS } from './keys.js';
import { LIMITS_OF_DECIDE } from './limits.js';
import { REQUESTS } from './requests.js';
import { SYSTEM_ONE_PATH } from './system-one-path.js';
import { TASKS } from './tasks.js';
import { TASK_LABELS } from './tasks-labels.js';
import { TASK_SHADOWS } from './tasks-shadow.js';
import { USAGE } from './usage.js';

/** Every contract test, roughly in the order of the sections. */
export const TESTS: readonly ContractTest[] = [
  ...REQUESTS,
  ...ANSWERS,
  ...ENDPOINTS,
  ...SYSTEM_ONE_PATH,
  ...IMAGES,
  ...KEYS,
  ...ERRORS_OF_DECIDE,
  ...LIMITS_OF_DECIDE,
  ...USAGE,
  ...TASKS,
  ...TASK_LABELS,
  ...TASK_SHADOWS,
  ...BATCHES_SUBMIT,
  ...BATCHES_LINES,
  ...BATCHES_TASKS,
  ...BATCHES_OBJECTS,
  ...BATCHES_RESULTS,
  ...BATCHES_LIFECYCLE,
  ...BATCHES_WEBHOOK,
  ...BATCHES_ENDPOINTS,
  ...BATCHES_ONCE,
];

/** Those about what is stored: keys, credit, usage and batches. */
export const STORED_TESTS: readonly ContractTest[] = [
  ...KEYS,
  ...ERRORS_OF_DECIDE,
  ...USAGE,
  ...TASKS,
  ...TASK_LABELS,
  ...TASK_SHADOWS,
  ...BATCHES_SUBMIT,
  ...BATCHES_TASKS,
  ...BATCHES_OBJECTS,
  ...BATCHES_RESULTS,
  ...BATCHES_LIFECYCLE,
  ...BATCHES_WEBHOOK,
  ...BATCHES_ENDPOINTS,
  ...BATCHES_ONCE,
];
