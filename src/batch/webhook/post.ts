import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { LIMITS } from '../../api/index.js';
import { hostOf } from '../../base/index.js';
import { guardedLookup, isAddress, type WebhookGuard } from './guard.js';
import type { WebhookFailure, WebhookOutcome } from './webhook-outcome.js';

/** What a call that ends now has failed with, by how far it has come. */
type Progress = Extract<
  WebhookFailure,
  'address_not_public' | 'no_connection' | 'tls_failed' | 'invalid_response'
>;

/**
 * Posts JSON on a connection of its own. Ends with the header of the final response; 1xx responses before it are skipped
 * (RFC 9110, 15.2). Never rejects. `ending`: aborts when the time is over.
 */
export function post(
  url: URL,
  text: string,
  guard: WebhookGuard,
  ending: AbortSignal,
): Promise<WebhookOutcome> {
  const host = hostOf(url);
  let progress: Progress = isAddress(host) ? 'no_connection' : 'address_not_public';
  const reached = (next: Progress) => {
    progress = next;
  };
  const asked = ask(
    url,
    text,
    guard,
    noting(guardedLookup(guard), () => reached('no_connection')),
  );
  return new Promise<WebhookOutcome>((resolve) => {
    const end = (outcome: WebhookOutcome) => {
      resolve(outcome);
      // Also ends a connection in the middle of its handshake. The body of the response is not read.
      asked.destroy();
    };
    const endLate = () => end('timeout');
    if (ending.aborted) endLate();
    ending.addEventListener('abort', endLate, { once: true });
    asked.on('socket', (socket) => {
      socket.once('connect', () => reached('tls_failed'));
      socket.once('secureConnect', () => reached('invalid_response'));
    });
    let interim = 0;
    asked.on('information', () => {
      interim += 1;
      if (interim > LIMITS.webhookInterimAnswers) end('invalid_response');
    });
    asked.on('response', ({ statusCode }: IncomingMessage) => end(outcomeOf(statusCode)));
    asked.on('error', () => end(progress));
    asked.on('close', () => {
      ending.removeEventListener('abort', endLate);
      end(progress);
    });
  });
}

function ask(url: URL, text: string, guard: WebhookGuard, lookup: LookupFunction): ClientRequest {
  const host = hostOf(url);
  const asked = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'user-agent': 'decider',
    },
    // An agent of its own: no connection is kept, and none is made through a proxy of the environment.
    agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
    // IP addresses in the URL bypass `lookup`; `checkHost` has checked them.
    lookup,
    servername: isAddress(host) ? '' : host,
    rejectUnauthorized: true,
    ...(guard.authorities === undefined ? {} : { ca: guard.authorities }),
    // Node refuses headers of this size and more.
    maxHeaderSize: LIMITS.webhookAnswerHeaderBytes + 1,
    insecureHTTPParser: false,
  });
  // With the header in one piece: a receiver may answer, and close, after the first one.
  asked.end(text);
  return asked;
}

/** A lookup that calls `onFound` before it returns addresses. */
const noting =
  (lookup: LookupFunction, onFound: () => void): LookupFunction =>
  (host, options, callback) =>
    lookup(host, options, (error, ...found) => {
      if (error === null) onFound();
      callback(error, ...found);
    });

/** HTTP has statuses from 100 to 599; Node's parser reads any three digits. */
function outcomeOf(status = 0): WebhookOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 300 && status < 600 ? `status_${status}` : 'invalid_response';
}
