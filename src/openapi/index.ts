export { LimitsSchema, UsageSchema } from './account-responses.js';
export * from './batch-responses.js';
export { DecisionsBody, DecisionsResponseSchema, OpenAiErrorSchema } from './decisions.js';
export { DECIDE_EXAMPLE, DECISIONS_EXAMPLE, openApi, TASK_EXAMPLE } from './document.js';
export { DecideBody, SystemoneBody } from './requests.js';
export * from './responses.js';
export * from './task-drift-schema.js';
export * from './task-fit-schema.js';
export * from './task-schemas.js';
