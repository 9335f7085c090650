import { ApiError } from './errors.js';

/** Seconds until a server that stops has usually been started again. */
const RETRY_SECONDS = 5;

/** The error of a request that a stopping server does not answer. */
export const stopping = () =>
  new ApiError('model_unavailable', 'The server is stopping.', { retryAfterSeconds: RETRY_SECONDS });
