import { openApi } from '../api/index.js';
import { VERSION } from '../base/index.js';
import { printJson } from './output.js';
import { reportError } from './report-error.js';

/** `decider openapi` */
export const openapi = (): Promise<void> => reportError(() => printJson(openApi(VERSION)));
