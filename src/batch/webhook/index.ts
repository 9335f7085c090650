export { readAllowedHosts } from './allowed-hosts.js';
export { callWebhook, type FinishedBatch, type WebhookOutcome } from './call.js';
export { checkWebhookAddress } from './check.js';
export type { WebhookGuard } from './guard.js';
export { WEBHOOK_WAIT_MS_MAX, webhookWaitMs } from './schedule.js';
export { systemGuard } from './system-guard.js';
