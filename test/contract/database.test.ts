import { runContract } from '../support/contract/run.js';

await runContract('node', 'database');
