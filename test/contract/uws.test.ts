import { runContract } from '../support/contract/run.js';

await runContract('uws');
