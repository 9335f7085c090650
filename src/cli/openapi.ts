import { VERSION } from '../base/index.js';
import { openApi } from '../openapi/index.js';
import { printJson, reportError } from './output.js';

/** `decider openapi` */
export const openapi = (): Promise<void> => reportError(() => printJson(openApi(VERSION)));
