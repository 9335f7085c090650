export { verifyBatches } from './verify/verify-batches.js';
