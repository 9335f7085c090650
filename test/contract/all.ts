import { ANSWERS } from './answers.js';
import { BATCHES_SUBMIT } from './batches-submit.js';
import { ENDPOINTS } from './endpoints.js';
import { ERRORS_OF_DECIDE } from './errors.js';
import { IMAGES } from './images.js';
import { KEYS } from './keys.js';
import { LIMITS_OF_DECIDE } from './limits.js';
import { REQUESTS } from './requests.js';
import type { ContractTest } from './suite.js';

/** Every test of the contract, in its order as far as it goes. */
export const TESTS: readonly ContractTest[] = [
  ...REQUESTS,
  ...ANSWERS,
  ...ENDPOINTS,
  ...IMAGES,
  ...KEYS,
  ...ERRORS_OF_DECIDE,
  ...LIMITS_OF_DECIDE,
  ...BATCHES_SUBMIT,
];
