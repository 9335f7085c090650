import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Case } from './cases.js';
import type { Asked } from './texts.js';

const SCRIPT = fileURLToPath(new URL('../../../bench/engine/peer-process.mjs', import.meta.url));

/** Candidate numbers of parallel questions for the decision context; the fastest one counts. */
export const DEFAULT_PARALLEL = 4;
export const PARALLEL_QUESTIONS = [DEFAULT_PARALLEL, 16];

export interface PeerRun {
  readonly ms: number;
  readonly cpuMs: number;
}

/** node-llama-cpp's decision context in its own process, idle between requests. */
export class Peer {
  private constructor(private readonly child: ChildProcess) {}

  static async open(model: string, gpu: string | false, threads: number): Promise<Peer> {
    const peer = new Peer(fork(SCRIPT, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
    try {
      await peer.call({ task: 'open', model, gpu, threads });
    } catch (error) {
      await peer.close();
      throw error;
    }
    return peer;
  }

  run(requests: readonly Asked[], arrival: Case['arrival'], parallelQuestions: number): Promise<PeerRun> {
    const together = arrival === 'together';
    return this.call({ task: 'run', requests, together, parallelQuestions }) as Promise<PeerRun>;
  }

  /** The tokens that the library reports for one request on an empty cache. */
  count(request: Asked): Promise<number> {
    return this.call({ task: 'count', request }) as Promise<number>;
  }

  private async call(message: Record<string, unknown>): Promise<unknown> {
    const ended = new AbortController();
    const { signal } = ended;
    this.child.send(message);
    try {
      const [reply] = (await Promise.race([
        once(this.child, 'message', { signal }),
        once(this.child, 'exit', { signal }).then(() => [{ error: 'its process ended' }]),
      ])) as [{ result?: unknown; error?: string }];
      if (reply.error !== undefined) throw new Error(`node-llama-cpp: ${reply.error}`);
      return reply.result;
    } finally {
      ended.abort();
    }
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
