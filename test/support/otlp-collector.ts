import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadOpenTelemetry } from '../../src/telemetry/index.js';
import type { Owner } from './owner.js';

/** Why traces cannot be tested here; false where they can. Where CI runs, the SDK must be installed. */
export const sdkMissing = (() => {
  try {
    loadOpenTelemetry();
    return false;
  } catch {
    return process.env.CI === undefined && 'OPENTELEMETRY IS NOT INSTALLED: npm run install:traces';
  }
})();

/** A span as the collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: ReadonlyArray<{
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }>;
  readonly status: { readonly code: number };
}

/**
 * A collector of traces on a free loopback port, closed when the test ends. `answer` ends the response to a message;
 * without it, messages are accepted.
 */
export async function otlpCollector(
  t: Owner,
  answer = (response: ServerResponse): void => void response.end('{}'),
) {
  const messages: string[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      messages.push(text);
      for (const resolve of waiting.splice(0)) resolve();
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    messages,
    /** Resolves when so many messages have arrived. */
    async received(count: number) {
      while (messages.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    /** The spans of all messages. */
    spans: (): ReceivedSpan[] =>
      messages.flatMap((message) =>
        JSON.parse(message).resourceSpans.flatMap(
          ({ scopeSpans }: { scopeSpans: { spans: ReceivedSpan[] }[] }) =>
            scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
  };
}
