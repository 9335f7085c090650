import { runContract } from '../support/contract/run.js';
import { uwsMissing } from '../support/http/serving.js';
import { LONG } from '../support/scale.js';

// A database has one transport in each scale; the data folder has both.
await runContract(LONG && uwsMissing === false ? 'uws' : 'node', 'database');
