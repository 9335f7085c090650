export { verifyTasks } from './verify-tasks.js';
