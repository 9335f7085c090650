export { LimitsSchema, UsageSchema } from './account-responses.js';
export * from './batch-responses.js';
export { DECIDE_EXAMPLE, openApi } from './document.js';
export { DecideBody, SystemoneBody } from './requests.js';
export * from './responses.js';
