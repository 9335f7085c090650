import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How busy the process that generates the load was. */
export interface ClientUse {
  /** Share of the time in which its thread was busy: 0 to 1. */
  readonly busy: number;
  /** Processor time of all its threads divided by the time that passed. */
  readonly cores: number;
  /** 99th percentile of the delay of its event loop, which also delays the reading of responses. */
  readonly loop_delay_p99_ms: number;
}

const RESOLUTION_MS = 5;

/** Starts to measure this process. The returned function ends the measurement. */
export function watchClient(): () => ClientUse {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const [loop, cpu, start] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
  delay.enable();
  return () => {
    delay.disable();
    const { user, system } = process.cpuUsage(cpu);
    return {
      busy: performance.eventLoopUtilization(loop).utilization,
      cores: (user + system) / 1_000 / (performance.now() - start),
      loop_delay_p99_ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
    };
  };
}
