export * from './line-output.js';
export * from './log.js';
export * from './metrics.js';
export { loadOpenTelemetry } from './open-telemetry.js';
export * from './recent-lines.js';
export * from './text-line.js';
export * from './traces.js';
