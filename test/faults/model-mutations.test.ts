// Damaged model files: each is refused in one line, or a server that opens it goes on.
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, test } from 'tap';
import { tinyModel, tinyProjector } from '../../models/tiny/index.js';
import { type CatalogBuild, checkModel } from '../../src/engine/index.js';
import { type Child, child } from '../support/child.js';
import { buildOf } from '../support/engine.js';
import { type Mutation, mutate } from '../support/faults/mutations.js';
import { random, seedFromEnvironment } from '../support/random.js';
import { scaled } from '../support/scale.js';

const MUTATIONS = scaled({ short: 6, long: 12 }, 'MUTATIONS');
/** Checks at one time. */
const LANES = 2;
/** Several times as much as a check has for a tiny file, for a busy machine: what takes longer hangs. */
const HANG_MS = 120_000;

const MODEL = tinyModel({ layers: 2, globalEvery: 2 });
/** The file that is damaged, and the projector beside the model: most of the damage is to models. */
const FILES = [
  { model: MODEL, projector: null },
  { model: MODEL, projector: null },
  { model: MODEL, projector: tinyProjector({ kind: 'gemma4v' }) },
  { model: MODEL, projector: tinyProjector({ kind: 'gemma4uv' }) },
];

/** Rejects where something takes longer than anything should. */
async function inTime<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it hangs: ${what}`)), HANG_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

class Campaign {
  readonly counts = { refused: 0, answered: 0, failed: 0, stopped: 0 };
  private server: Child;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly t: Test,
    private readonly folder: string,
  ) {
    this.server = this.start();
  }

  async run(seed: number, number: number): Promise<void> {
    const next = random(seed + number);
    const { model, projector } = next.pick(FILES);
    const { how, file }: Mutation = mutate(projector ?? model, next);
    const what = `TEST_SEED=${seed} mutation ${number}: ${how}`;
    const build = this.write(number, projector === null ? { model: file } : { model, projector: file });
    try {
      const refusal = await this.check(build, what);
      if (refusal === null) await this.serve(build, what);
      else {
        this.counts.refused += 1;
        if (/takes more than/.test(refusal)) this.counts.stopped += 1;
        if (!/^\S*\.gguf: [^\p{Cc}]+$/u.test(refusal)) this.t.fail(`${what}: ${refusal}`);
        if (process.env.MUTATIONS_SHOWN) this.t.comment(`${what}: ${refusal.replace(/^\S*\.gguf/, '')}`);
      }
    } finally {
      rmSync(build.path);
      if (build.projector !== null) rmSync(build.projector.path);
    }
  }

  async end(): Promise<void> {
    this.server.process.stdin?.end();
    await this.server.end();
  }

  /** Why the check refuses a build, or null. Anything but a ModelError is a fault of ours. */
  private async check(build: CatalogBuild, what: string): Promise<string | null> {
    try {
      await inTime(checkModel({ backend: 'cpu', device: '', build, threads: 1 }), what);
      return null;
    } catch (error) {
      if ((error as Error).name !== 'ModelError') throw error;
      return (error as Error).message;
    }
  }

  /** One build after the other, all in the same process. */
  private async serve(build: CatalogBuild, what: string): Promise<void> {
    const before = this.turn;
    const mine = before.then(() => inTime(this.server.ask(JSON.stringify(build)), what));
    this.turn = mine.catch(() => {});
    const said = await mine.catch((error: Error) => `ended: ${error.message}`);
    if (said === 'answered') this.counts.answered += 1;
    else if (said.startsWith('failed: ')) {
      this.counts.failed += 1;
      this.t.comment(`${what}: ${said}`);
    } else {
      this.t.fail(`the server ended. ${what}: ${said}`);
      this.server.process.kill('SIGKILL');
      this.server = this.start();
    }
  }

  private start(): Child {
    const started = child(this.t, new URL('../support/faults/model-server.js', import.meta.url), []);
    void once(started.process, 'exit');
    return started;
  }

  private write(number: number, files: { model: Buffer; projector?: Buffer }): CatalogBuild {
    const write = (name: string, bytes: Buffer) => {
      const path = join(this.folder, `${number}${name}.gguf`);
      writeFileSync(path, bytes);
      return { path, sha256: '' };
    };
    const { path } = write('', files.model);
    const projector = files.projector === undefined ? null : write('-projector', files.projector);
    return buildOf(path, { reads_images: projector !== null }, projector);
  }
}

test(`${MUTATIONS} damaged model files: no server ends, and nothing hangs`, async (t) => {
  const seed = seedFromEnvironment();
  t.comment(`TEST_SEED=${seed}`);
  const campaign = new Campaign(t, t.testdir());
  let number = 0;
  const lane = async () => {
    for (let mine = number++; mine < MUTATIONS; mine = number++) await campaign.run(seed, mine);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await campaign.end();
  const { refused, answered, failed, stopped } = campaign.counts;
  t.comment(
    `${refused} refused (${stopped} after the time of the check), ${answered} answered, ${failed} failed`,
  );
  t.equal(refused + answered + failed, MUTATIONS);
});
