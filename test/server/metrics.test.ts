import { type Test, test } from 'tap';
import { VERSION } from '../../src/base/index.js';
import type { AccessEntry } from '../../src/http/index.js';
import type { ServerDependencies } from '../../src/server/index.js';
import { requestMetrics } from '../../src/server/request-metrics.js';
import { METRICS, Metrics } from '../../src/telemetry/index.js';
import { freePort } from '../support/free-port.js';
import { operatorFetch, operatorSettings } from '../support/operator.js';
import { promtool, promtoolMissing } from '../support/promtool.js';
import { modelsFolder, startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** The value of one line of a scrape; NaN where it is not there. */
async function scrape(url: string): Promise<(line: string) => number> {
  const text = await (await operatorFetch(url, '/metrics')).text();
  return (line) =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.split(' ')[1],
    );
}

async function start(t: Test, own: Partial<ServerDependencies> = {}, more: Record<string, string> = {}) {
  const environment = { ...(await operatorSettings()), ...more };
  const server = await startTestServer(t, environment, modelsFolder(t.testdir()), own);
  return { ...server, operatorUrl: server.operatorUrl as string };
}

const SECRET = 'Lady-Macbeth';
const BODY = {
  state: SECRET,
  questions: { [SECRET]: { type: 'noul' }, b: { type: 'choice', criteria: [SECRET, 'x'] } },
};

test('requests are counted by route and status, in tokens and in waves; a replaced thread is counted', async (t) => {
  const { ask, decide, url, operatorUrl, engines } = await start(t);
  const { usage } = await ask(BODY);
  await ask(BODY, '/v1/systemone');
  await decide('{');
  await fetch(`${url}/${SECRET}?${SECRET}`);
  t.equal((await operatorFetch(operatorUrl, '/ready')).status, 200);
  const value = await scrape(operatorUrl);
  t.equal(value('decider_requests_total{route="/v1/decide",status="200",model="tiny-20260101"}'), 1);
  t.equal(value('decider_requests_total{route="/v1/systemone",status="200",model="tiny-20260101"}'), 1);
  t.equal(value('decider_requests_total{route="/v1/decide",status="400",model="-"}'), 1);
  t.equal(value('decider_requests_total{route="-",status="404",model="-"}'), 1);
  const byModel = 'model="tiny-20260101"';
  t.equal(value(`decider_request_seconds_count{route="/v1/decide",${byModel}}`), 1);
  t.equal(value(`decider_request_seconds_bucket{le="+Inf",route="/v1/systemone",${byModel}}`), 1);
  t.ok(value(`decider_request_seconds_sum{route="/v1/decide",${byModel}}`) > 0);
  t.equal(value('decider_request_seconds_count{route="/v1/decide",model="-"}'), 1, 'the refused one');
  t.equal(value('decider_request_seconds_count{route="-",model="-"}'), 1);
  t.equal(value(`decider_input_tokens_total{${byModel}}`), 2 * usage.input_tokens);
  t.equal(value(`decider_answers_total{${byModel}}`), 4);
  for (const phase of ['prepare', 'queue', 'engine']) {
    t.equal(value(`decider_decision_seconds_count{phase="${phase}"}`), 2);
  }
  t.ok(value('decider_wave_tokens_count{model="tiny-20260101"}') >= 2);
  t.ok(value('decider_wave_tokens_sum{model="tiny-20260101"}') > 0);
  const lane = 'model="tiny-20260101",lane="1"';
  const waves = value('decider_wave_tokens_count{model="tiny-20260101"}');
  t.equal(value(`decider_wave_seconds_count{${lane}}`), waves);
  t.equal(value(`decider_wave_fill_count{${lane}}`), waves);
  t.equal(value(`decider_wave_fill_bucket{le="1",${lane}}`), waves);
  t.equal(value(`decider_lane_state{${lane},state="free"}`), 1);
  t.equal(value(`decider_lane_state{${lane},state="stuck"}`), 0);
  const [hits = 0, misses = 0] = ['hit', 'miss'].map((outcome) =>
    value(`decider_prefixes_total{model="tiny-20260101",outcome="${outcome}"}`),
  );
  t.equal(hits + misses, 2, 'one per plan');
  t.ok(misses >= 1);
  for (const kind of ['resident', 'heap', 'external']) {
    t.ok(value(`decider_process_memory_bytes{kind="${kind}"}`) > 0, kind);
  }
  t.ok(value('decider_device_memory_bytes{device="RAM",state="used"}') > 0);
  t.ok(value('decider_event_loop_delay_seconds{percentile="100"}') >= 0);
  t.ok(value('decider_store_bytes') > 0);
  t.ok(value('decider_store_disk_free_bytes') > 0);
  t.ok(value('decider_store_commit_seconds_count') > 0, '/ready commits');
  t.equal(value('decider_store_commits_failed_total'), 0);
  t.equal(value('decider_webhook_attempts_total{outcome="failed"}'), 0);
  t.equal(value('decider_ready'), 1);
  t.equal(value(`decider_info{version="${VERSION}",backend="cpu"}`), 1);
  t.ok(value('decider_start_time_seconds') > 0);
  t.equal(value('decider_plans_waiting{model="tiny-20260101",urgency="live"}'), 0);
  t.equal(value('decider_plans_cancelled_total{model="tiny-20260101"}'), 0);
  const text = await (await operatorFetch(operatorUrl, '/metrics')).text();
  t.notMatch(text, SECRET);
  if (promtoolMissing === false) {
    // Its findings, which are none, do not change its status in every version.
    const { status, stdout, stderr } = promtool(['check', 'metrics'], text);
    t.strictSame({ status, found: stdout + stderr }, { status: 0, found: '' }, 'promtool check metrics');
  } else t.comment(promtoolMissing);

  await engines.workers[0]?.terminate();
  t.match(await ask(BODY), { model: 'tiny-20260101' });
  const replaced = await scrape(operatorUrl);
  t.equal(replaced('decider_threads_replaced_total{thread="engine"}'), 1);
  t.equal(replaced('decider_threads_replaced_total{thread="prepare"}'), 0);
});

test('the operator listener is opened only if a port is set; callers cannot reach the metrics', async (t) => {
  const { url, operatorUrl } = await startTestServer(t);
  t.equal(operatorUrl, null);
  t.equal((await fetch(`${url}/metrics`)).status, 404);
});

test('a scrape has every metric of the table', async (t) => {
  const text = await new Metrics().scrape();
  for (const { name, kind } of Object.values(METRICS)) t.match(text, `# TYPE ${name} ${kind}\n`);
});

test('the series of a build end with it', async (t) => {
  const metrics = new Metrics();
  const measure = requestMetrics(metrics);
  const entry = { path: '/v1/decide', status: 200, durationMs: 2 } as const;
  for (const model of ['a', 'b', undefined]) measure({ ...entry, model } as AccessEntry);
  metrics.instruments.answers.inc({ model: 'a' }, 3);
  await metrics.forget({ model: 'a' });
  const text = await metrics.scrape();
  t.notMatch(text, 'model="a"');
  for (const model of ['b', '-']) {
    t.match(text, `decider_requests_total{route="/v1/decide",status="200",model="${model}"} 1\n`);
    t.match(text, `decider_request_seconds_sum{route="/v1/decide",model="${model}"} 0.002\n`);
  }
});

test('batch lines, webhook calls and dropped log lines are counted; batch lines are not counted as live decisions', async (t) => {
  let dropped = 0;
  const { url, headers, operatorUrl } = await start(
    t,
    { logLinesDropped: () => dropped },
    { DECIDER_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
  );
  const file = [1, 2].map((at) => JSON.stringify({ custom_id: `c${at}`, model: 'tiny', ...BODY })).join('\n');
  const webhook = `https://127.0.0.1:${await freePort()}/`;
  const type = { ...headers, 'content-type': 'application/jsonl', 'service-webhook-url': webhook };
  const submitted = await fetch(`${url}/v1/batches`, { method: 'POST', headers: type, body: file });
  const { id } = (await submitted.json()) as { id: string };
  let results = '';
  await until(async () => {
    const response = await fetch(`${url}/v1/batches/${id}/results`, { headers });
    results = await response.text();
    return response.status !== 409;
  });
  const lines = results.trimEnd().split('\n');
  const tokens = lines.map((line) => JSON.parse(line).usage.input_tokens as number);
  const value = await scrape(operatorUrl);
  t.equal(
    value('decider_input_tokens_total{model="tiny-20260101"}'),
    tokens.reduce((a, b) => a + b, 0),
  );
  t.equal(value('decider_answers_total{model="tiny-20260101"}'), 4);
  t.equal(value('decider_batch_lines_total{outcome="answered"}'), 2);
  t.equal(value('decider_batches_open'), 0);
  t.ok(!(value('decider_decision_seconds_count{phase="engine"}') > 0));
  // No process listens on this port.
  let attempts = value;
  while (attempts('decider_webhook_attempts_total{outcome="failed"}') === 0)
    attempts = await scrape(operatorUrl);
  t.equal(attempts('decider_webhook_attempts_total{outcome="failed"}'), 1);
  t.equal(attempts('decider_webhook_attempts_total{outcome="delivered"}'), 0);
  t.equal(attempts('decider_webhook_failures_total{reason="no_connection"}'), 1);
  t.equal(attempts('decider_webhook_failures_total{reason="timeout"}'), 0);
  for (const count of [0, 3, 5]) {
    dropped = count;
    t.equal((await scrape(operatorUrl))('decider_log_lines_dropped_total'), count);
  }
});
