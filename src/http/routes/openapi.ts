import { VERSION } from '../../base/index.js';
import { openApi } from '../../openapi/index.js';
import type { Handle, OpenCall } from './route.js';

const json = JSON.stringify(openApi(VERSION));

/** `GET /openapi.json` */
export const openapi: Handle<OpenCall> = () => ({ body: json });
