import { DeciderError } from './client-error.js';
/**
 * The error of a `fetch` that was rejected. Only Node tells whether a connection was made; a browser does not, so that
 * there the outcome counts as unknown.
 */
export declare function failedFetch(error: unknown, url: URL): DeciderError;
/** A connection that failed when the request may have been sent. */
export declare const lostConnection: (error: unknown, message: string) => DeciderError;
