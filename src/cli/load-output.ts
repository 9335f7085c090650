import type { WriteStream } from 'node:tty';
import {
  byRate,
  foundText,
  type LoadResult,
  mainStep,
  notes,
  type Step,
  type StepResult,
  showMs,
  showRate,
} from '../load/index.js';
import { print } from './output.js';
import { facts, table } from './text-table.js';

const LATENCY = ['requests/s', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'];
const WORK = ['requests/s', 'answered', 'failed', 'answered/s', 'decisions/s', 'tokens/s', 'client busy'];
const SHAPES = ['shape', 'requests', 'p50', 'p95', 'p99', 'max'];

/** Prints a result for people. */
export function printLoad(result: LoadResult): void {
  const { url, server, load, find } = result;
  const steps = byRate(result);
  print(
    facts({
      server: `${url}${server.model === null ? '' : `, ${server.model}`}`,
      requests: `${load.requests}, seed ${load.seed}, at most ${load.connections} connections`,
      'lone request': `${showMs(server.lone_ms)} ms (median of 5)`,
    }),
  );
  if (steps.length > 0) {
    print('\nLatency in ms, from the intended start of a request');
    print(table(LATENCY, steps.map(latencyRow), LATENCY));
    print('');
    print(table(WORK, steps.map(workRow), WORK));
  }
  const main = mainStep(result);
  if (main !== undefined && Object.keys(main.latency_ms_by_shape).length > 1) {
    print(`\nLatency in ms by request shape at ${showRate(main.rate)} requests/s`);
    print(table(SHAPES, Object.entries(main.latency_ms_by_shape).map(shapeRow), SHAPES.slice(1)));
  }
  for (const lines of notes(result)) print(`\n${lines.join('\n')}`);
  if (find !== null) print(`\n${foundText(find)}`);
}

function latencyRow({ rate, latency_ms: { p50, p90, p95, p99, p99_9, max } }: StepResult): string[] {
  return [showRate(rate), ...[p50, p90, p95, p99, p99_9, max].map(showMs)];
}

function workRow(step: StepResult): string[] {
  return [
    showRate(step.rate),
    String(step.answered),
    String(step.failed),
    ...[step.answered_per_second, step.decisions_per_second].map(showMs),
    String(Math.round(step.input_tokens_per_second)),
    `${Math.round(step.client.busy * 100)} %`,
  ];
}

const shapeRow = ([shape, { count, p50, p95, p99, max }]: [string, StepResult['latency_ms']]): string[] => [
  shape,
  String(count),
  ...[p50, p95, p99, max].map(showMs),
];

const REFRESH_MS = 250;

/**
 * Progress of a load: a line per finished step, and on a terminal a line about the current one that is rewritten. Keeps
 * the process running while a step waits for its next arrival.
 */
export class LoadStatus {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly output: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>) {}

  start(rate: number, step: Step, seconds: number): void {
    this.timer = setInterval(() => this.draw(rate, step, seconds), REFRESH_MS);
    this.draw(rate, step, seconds);
  }

  end({ rate, answered, failed, latency_ms, ended }: StepResult): void {
    clearInterval(this.timer);
    this.clear();
    const end = ended === 'complete' ? '' : ended === 'interrupted' ? ', interrupted' : ', misses the target';
    const { p50, p95 } = latency_ms;
    this.line(
      `${showRate(rate)}/s: ${answered} answered, ${failed} failed, p50 ${showMs(p50)} ms, p95 ${showMs(p95)} ms${end}`,
    );
  }

  line(text: string): void {
    this.output.write(`${text}\n`);
  }

  private draw(rate: number, step: Step, seconds: number): void {
    if (!this.output.isTTY) return;
    const { answered, failed, latencies } = step.recorder;
    const elapsed = Math.floor(step.elapsed / 1_000);
    const time = elapsed <= seconds ? `${elapsed} of ${Math.ceil(seconds)} s` : 'waiting for responses';
    const [p50, p95] = [latencies.percentile(50), latencies.percentile(95)];
    const line =
      `${showRate(rate)}/s  ${time}  ${answered} answered  ${failed} failed  ${step.pending} pending` +
      `  p50 ${showMs(p50)}  p95 ${showMs(p95)} ms`;
    this.clear();
    this.output.write(line.slice(0, (this.output.columns || 80) - 1));
  }

  private clear(): void {
    if (this.output.isTTY) this.output.write('\r\x1b[2K');
  }
}
