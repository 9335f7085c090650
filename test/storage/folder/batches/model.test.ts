import { type Test, test } from 'tap';
import { ApiError } from '../../../../src/api/index.js';
import { reconcile } from '../../../../src/storage/folder/index.js';
import { changeWorkspace, revokeKey } from '../../../support/access/folder-changes.js';
import { ContractModel } from '../../../support/batch/contract-model.js';
import { tokensOf } from '../../../support/batch/test-engine.js';
import { DAY_MS, lines, PRICE, SECOND_MS, turns, until, World } from '../../../support/batch/world.js';
import { type Random, random, seedFromEnvironment } from '../../../support/random.js';

const WALKS = 25;
const STEPS = 40;
/** Enough for any wait between tries. */
const WAIT_S = 12;
const TEMPORARY = ['overloaded', 'model_unavailable', 'internal_error'] as const;

/** One batch of some lines, driven at random; after every step the interface says what the model says. */
class Walk {
  private readonly tries = new Map<string, number>();
  private seen = 0;
  private paused = false;
  private revoked = false;
  private model!: ContractModel;
  private id = '';

  private constructor(
    private readonly t: Test,
    private readonly world: World,
    private readonly key: { readonly id: string },
    private readonly next: Random,
  ) {}

  static async run(t: Test, world: World, next: Random): Promise<void> {
    const walk = new Walk(t, world, world.key(), next);
    await walk.submit();
    for (let step = 0; step < STEPS && !walk.model.finished; step += 1) await walk.step();
    await walk.end();
  }

  private async submit(): Promise<void> {
    const { world, next } = this;
    world.engine.answersAtOnce = false;
    world.engine.room = 1 + next.integer(4);
    this.seen = world.engine.started.length;
    const count = 1 + next.integer(9);
    const name = this.key.id;
    const ids = Array.from({ length: count }, (_, at) => `${name}${at}`);
    this.model = new ContractModel(ids, world.clock.now() + DAY_MS);
    this.id = await world.submit(this.key, lines(name, count), { webhook: 'https://a.example/' });
    await this.compare('submitted');
  }

  private async step(): Promise<void> {
    const { world, model, next } = this;
    const action = next.pick(ACTIONS);
    switch (action) {
      case 'answer':
      case 'refuse':
      case 'fault':
        this.comeBack(action);
        break;
      case 'pause':
        this.paused = !this.paused;
        changeWorkspace(world.store, world.clock, 'w', { budget: this.paused ? 0n : null });
        break;
      case 'cancel':
        await this.cancel();
        break;
      case 'revoke':
        if (!this.revoked) revokeKey(world.store, world.clock, this.key.id);
        this.revoked = true;
        model.keyEnds();
        break;
      case 'day':
        world.clock.advance(next.pick([DAY_MS / 2, DAY_MS]));
        model.time(world.clock.now());
        break;
    }
    await this.compare(action);
  }

  private comeBack(action: 'answer' | 'refuse' | 'fault'): void {
    const { world, model, next } = this;
    const id = [...model.inProgress][next.integer(model.inProgress.size)];
    if (id === undefined) return;
    if (action === 'answer') {
      world.engine.answer(id);
      model.back(id, 'answered');
    } else if (action === 'refuse') {
      world.engine.fail(id, new ApiError('invalid_question', 'No.'));
      model.back(id, 'invalid_question');
    } else {
      const type = next.pick(TEMPORARY);
      const tries = (this.tries.get(id) ?? 0) + 1;
      this.tries.set(id, tries);
      world.engine.fail(id, new ApiError(type, 'Not now.'));
      model.back(id, tries === 5 ? type : null);
    }
  }

  private async cancel(): Promise<void> {
    const { world, model, key, id } = this;
    const expected = model.cancel();
    const found = await world.batches.cancel(world.caller(key), id).then(
      () => 'ok',
      ({ type }) => type,
    );
    this.t.equal(found, expected, 'cancel');
  }

  /** Time passes, lines start; then both must say the same. */
  private async compare(action: string): Promise<void> {
    const { t, world, model, key, id } = this;
    await world.pass(WAIT_S);
    model.time(world.clock.now());
    const { started, waiting } = world.engine;
    for (; this.seen < started.length; this.seen += 1) {
      if (this.paused) t.fail('a line starts while the key is paused');
      model.start(started[this.seen] as string);
    }
    if (!this.paused) {
      const least = Math.min(world.engine.room, model.inProgress.size + model.left.length);
      t.ok(waiting.size >= least, `${action}: ${waiting.size} lines run, of ${least} that could`);
    }
    const { status, counts, reason, results_available } = world.show(key, id);
    t.strictSame(
      { status, counts, reason, results_available },
      {
        status: model.status,
        counts: model.counts,
        reason: model.reason,
        results_available: model.finished,
      },
      action,
    );
  }

  /** Lets the rest be answered; then the results, the webhook and the money. */
  private async end(): Promise<void> {
    const { t, world, model, key, id } = this;
    changeWorkspace(world.store, world.clock, 'w', { budget: null });
    this.paused = false;
    for (let round = 0; round < 20 && !model.finished; round += 1) {
      for (const each of [...model.inProgress]) {
        world.engine.answer(each);
        model.back(each, 'answered');
      }
      await this.compare('rest');
    }
    const results = await world.collect(key, id);
    t.strictSame(
      results.map(({ custom_id, error, status }) => [custom_id, status === 200 ? 'answered' : error?.type]),
      [...model.results].sort(([a], [b]) => Number(a.slice(key.id.length)) - Number(b.slice(key.id.length))),
    );
    await until(() => world.called.some((call) => call.id === id));
    t.strictSame(
      world.called.filter((call) => call.id === id),
      [{ address: 'https://a.example/', id, status: model.status }],
    );
    const billed = [...model.results]
      .filter(([, type]) => type === 'answered')
      .map(([each]) => tokensOf(each));
    const tokens = results.reduce((sum, { usage }) => sum + usage.input_tokens, 0);
    t.equal(
      tokens,
      billed.reduce((sum, each) => sum + each, 0),
    );
    await world.access.flush();
    const { books, problems } = reconcile(world.store);
    t.strictSame(problems, []);
    const usage = [...world.store.table('usage').entries('w')].filter(
      ({ key: parts }) => parts[2] === key.id,
    );
    t.equal(
      usage.reduce((sum, { value }) => sum + value.inputTokens, 0),
      tokens,
    );
    t.equal((books[0]?.charged ?? 0n) % PRICE, 0n);
  }
}

const ACTIONS = [
  ...Array.from({ length: 8 }, () => 'answer' as const),
  'refuse',
  'fault',
  'fault',
  'fault',
  'pause',
  'pause',
  'cancel',
  'revoke',
  'day',
] as const;

const seed = seedFromEnvironment();

test(`random events: a batch behaves as contract 3 says (TEST_SEED=${seed})`, async (t) => {
  const world = await World.start(t);
  const next = random(seed);
  for (let walk = 0; walk < WALKS; walk += 1) await Walk.run(t, world, next);
  await turns();
  t.ok(world.clock.now() > SECOND_MS);
});
