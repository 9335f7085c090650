import { runContract } from './run.js';

await runContract('uws');
