import { DeciderError } from './client-error.js';
/** Whether a request that got this status may succeed later. */
export declare const isTemporaryStatus: (status: number) => boolean;
/** The error of a response (contract 2.9); a proxy may have sent anything else. `now`: in milliseconds since 1970. */
export declare function errorOfResponse(response: Response, now: number): Promise<DeciderError>;
