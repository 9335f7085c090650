import type { Settings } from '../../settings/index.js';
import type { Metrics } from '../../telemetry/index.js';
import { readConsole } from '../console.js';
import { exposureOf } from '../exposure.js';
import type { RequestHistory } from '../request-history.js';
import type { ServerDependencies } from '../server-dependencies.js';
import type { Service } from '../service.js';
import type { OperatorHandlers } from './answer-operator.js';
import { Activity } from './api/activity.js';
import { apiHandlers } from './api/handlers.js';
import { ResourceHistory } from './api/resource-history.js';
import { measureHost } from './host-metrics.js';
import { listenForOperator, type OperatorListener } from './listener.js';
import { jsonReply } from './operator-reply.js';
import { Readiness } from './readiness.js';
import { type ReloadStatus, statusOf } from './status.js';
import { operatorToken } from './token.js';

/** The media type of the Prometheus text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Opens the operator listener if the settings have a port for it. `reloader`: has the settings in use, which may change. `requests`: those of callers.
 * Throws StartError or ListenError.
 */
export async function openOperator(
  settings: Settings,
  reloader: ReloadStatus,
  { clock, log, report, recentLines }: ServerDependencies,
  service: Service,
  metrics: Metrics,
  requests: RequestHistory,
): Promise<OperatorListener | null> {
  const { host, port, token, hosts } = settings.operator;
  if (port === 0) return null;
  const exposure = exposureOf('operator.host', host, settings);
  if (exposure !== null) report.notice(exposure.notice);
  const started = clock.monotonic();
  const readiness = new Readiness({
    clock,
    reasons: () => service.unreadyReasons(),
    probe: () => service.probe(),
    place: service.place,
  });
  const activity = new Activity(clock, requests);
  const resources = new ResourceHistory(clock, () => service.engines);
  const handlers: OperatorHandlers = {
    ...apiHandlers({
      service,
      billing: settings.billing,
      clock,
      activity,
      requests,
      resources,
      recentLines,
    }),
    metrics: async () => ({ status: 200, type: METRICS_TYPE, body: await metrics.scrape() }),
    async ready() {
      const reasons = await readiness.check();
      return jsonReply(reasons.length === 0 ? 200 : 503, { ready: reasons.length === 0, reasons });
    },
    async status() {
      const reasons = await readiness.check();
      return jsonReply(200, statusOf(reloader, service.status(), clock.monotonic() - started, reasons));
    },
  };
  const listener = await listenForOperator({
    host,
    port,
    token: operatorToken(settings.data, token),
    hosts,
    trustedProxies: settings.http.trusted_proxies,
    keepAliveMs: settings.http.keep_alive_s * 1_000,
    clock,
    handlers,
    console: settings.operator.console ? readConsole('operator') : null,
    onUnexpected: (error) => log.error({ err: error }, 'a request of the operator failed'),
  });
  resources.start();
  const stopMeasuring = measureHost(metrics, service, clock);
  return {
    url: listener.url,
    stop() {
      stopMeasuring();
      activity.stop();
      resources.stop();
      return listener.stop();
    },
  };
}
