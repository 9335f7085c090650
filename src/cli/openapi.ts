import { VERSION } from '../base/index.js';
import { openApi } from '../openapi/index.js';
import { printJson } from './output.js';
import { reportError } from './report-error.js';

/** `decider openapi` */
export const openapi = (): Promise<void> => reportError(() => printJson(openApi(VERSION)));
