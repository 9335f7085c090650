import { test } from 'tap';
import { ERRORS } from '../../src/api/index.js';
import type { ApiSchemas } from '../../src/client/api-schema.js';
import {
  type AnsweredLine,
  type AnswersTo,
  type AnswerTo,
  type ClientErrorType,
  choice,
  type Decider,
  type DeciderErrorType,
  type FailedLine,
  type MappedChoiceQuestion,
  type NoulQuestion,
  noul,
  type Question,
  type Questions,
  type ServerErrorType,
  score,
  type TaskAnswer,
} from '../../src/client/index.js';

// What is checked here, the compiler checks: `npm run check`.

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
/** Compiles only if both types are the same. */
const same = <One, Other>(_: Equal<One, Other>): void => {};

const typesOfTasks = async (decider: Decider) => {
  const questions = {
    angry: noul('Is it?'),
    team: choice('Which?', ['billing', 'sales']),
    urgent: score('How?', ['can wait', 'now']),
  };
  await decider.tasks.put('mail', { questions });
  const { answers, task, info } = await decider.tasks.decide<typeof questions>('mail', { state: 'x' });
  same<typeof answers.angry.noul, number>(true);
  const size = choice(null, new Map<'10' | '2', string | null>([['10', 'ten']]));
  same<AnswerTo<typeof size>['choice'], '10' | '2'>(true);
  same<typeof answers.team.choice, 'billing' | 'sales'>(true);
  same<typeof answers.urgent.accept, boolean | null>(true);
  same<typeof task.version, number>(true);
  // @ts-expect-error there is no such question
  answers.other;
  const plain = await decider.tasks.decide('mail', { state: 'x' });
  same<typeof plain.answers.angry, undefined | TaskAnswer<Question>>(true);

  const request_id = info.requestId as string;
  const expected = { angry: true, team: 'sales', urgent: null } as const;
  await decider.tasks.label<typeof questions>('mail', [
    { request_id, expected },
    { state: 1, expected },
  ]);
  await decider.tasks.label('mail', [{ batch_id: 'b', custom_id: 'c', expected: { any: 2 } }]);
  // @ts-expect-error there is no such label
  await decider.tasks.label<typeof questions>('mail', [{ request_id, expected: { team: 'shipping' } }]);
  // @ts-expect-error a noul is true or false
  await decider.tasks.label<typeof questions>('mail', [{ request_id, expected: { angry: 'yes' } }]);
  // @ts-expect-error it names nothing that was answered
  await decider.tasks.label('mail', [{ expected: { angry: true } }]);
};

const types = async (decider: Decider) => {
  const built = await decider.decide({
    state: 'x',
    questions: {
      angry: noul('Is it?'),
      team: choice('Which?', ['billing', 'sales']),
      described: choice(null, { ship: 'Nothing is missing.', ask: null }),
      urgent: score('How?', ['can wait', null, 'now']),
    },
  });
  same<typeof built.answers.angry.noul, number>(true);
  same<typeof built.answers.team.choice, 'billing' | 'sales'>(true);
  same<typeof built.answers.team.probabilities, Readonly<Record<'billing' | 'sales', number>>>(true);
  same<typeof built.answers.described.choice, 'ship' | 'ask'>(true);
  same<typeof built.answers.urgent.level, number>(true);
  // @ts-expect-error raw probabilities were not asked for
  built.answers.angry.raw_probabilities;
  // @ts-expect-error there is no such question
  built.answers.other;
  // @ts-expect-error a noul has no choice
  built.answers.angry.choice;

  const written = await decider.decide(
    {
      state: { order: 4711 },
      questions: {
        angry: { type: 'noul' },
        team: { type: 'choice', criteria: ['billing', 'sales'] },
        step: { type: 'choice', criteria: { ship: 'Nothing is missing.', 2: null } },
        urgent: { type: 'score', criteria: ['can wait', 'now'] },
      },
    },
    { rawProbabilities: true },
  );
  same<typeof written.answers.team.choice, 'billing' | 'sales'>(true);
  same<typeof written.answers.step.choice, 'ship' | '2'>(true);
  same<typeof written.answers.team.raw_probabilities, Readonly<Record<'billing' | 'sales', number>>>(true);
  same<typeof written.answers.angry.raw_probabilities, Readonly<Record<'true' | 'false', number>>>(true);

  const massed = await decider.decide(
    { state: 'x', questions: { angry: noul() } },
    { labelMass: true, optionRotations: 2 },
  );
  same<typeof massed.answers.angry.label_mass, number>(true);
  // @ts-expect-error raw probabilities were not asked for
  massed.answers.angry.raw_probabilities;
  const { signal } = new AbortController();
  const signalled = await decider.decide({ state: 'x', questions: { angry: noul() } }, { signal });
  // @ts-expect-error raw probabilities were not asked for
  signalled.answers.angry.raw_probabilities;

  const labels: string[] = ['a'];
  const questions: Questions = { team: choice(null, labels) };
  const unknown = await decider.decide({ state: 'x', questions });
  const answer = unknown.answers.team;
  if (answer?.type === 'choice') same<typeof answer.choice, string>(true);
  if (answer?.type === 'score') same<typeof answer.level, number>(true);

  const asked = { team: choice('Which?', ['billing', 'sales']) };
  const lines = [{ custom_id: 'a', model: 'm', state: 'x', questions: asked }];
  for await (const { response, error } of decider.batches.run(lines)) {
    if (response === undefined) same<typeof error.type, string>(true);
    else {
      same<typeof response.answers.team.choice, 'billing' | 'sales'>(true);
      same<typeof response.answers.team.label_mass, number | undefined>(true);
    }
  }

  const named = [{ custom_id: 'a', task: 't', state: 'x' }];
  for await (const { response } of decider.batches.run<typeof asked>(named)) {
    if (response === undefined) continue;
    same<typeof response.answers.team.choice, 'billing' | 'sales'>(true);
    same<typeof response.answers.team.accept, boolean | null | undefined>(true);
    same<NonNullable<typeof response.task>['version'], number>(true);
  }
  // @ts-expect-error a line with a task has no questions of its own
  await decider.batches.submit([{ custom_id: 'a', task: 't', state: 'x', questions: asked }]);
  // @ts-expect-error a line without a task names its model
  await decider.batches.submit([{ custom_id: 'a', state: 'x', questions: asked }]);

  // @ts-expect-error a choice needs labels
  await decider.decide({ state: 'x', questions: { team: { type: 'choice' } } });
  // @ts-expect-error there is no such type
  await decider.decide({ state: 'x', questions: { team: { type: 'rank', criteria: [] } } });
  // @ts-expect-error there are no questions
  await decider.decide({ state: 'x' });
};

/** Names for programs that pass answers, results and errors on. */
const named = (
  asked: typeof NAMED,
  line: AnsweredLine | FailedLine,
  type: ServerErrorType | ClientErrorType,
) => {
  const one = (answer: AnswerTo<typeof asked.team>): 'a' | 'b' => answer.choice;
  const all = (answers: AnswersTo<typeof asked>): number => answers.ready.noul;
  const error: DeciderErrorType = type;
  return [one, all, error, line.response?.answers ?? line.error];
};
const NAMED = { team: choice(null, ['a', 'b']), ready: noul() };

/** The types that are written by hand say what the OpenAPI document says. */
type Sent = ApiSchemas['DecideRequest']['questions'][string];
type Received = ApiSchemas['DecideResponse']['answers'][string];
/** A `Map` is sent as an object. */
const fitting = (question: Exclude<Question, MappedChoiceQuestion>): Sent => question;
type ReceivedOfTask = ApiSchemas['TaskAnswers']['answers'][string];
const received = (answer: ReceivedOfTask): TaskAnswer<Question> => answer;
const known = (type: Received['type']): Question['type'] => type;

const narrowed = (line: AnsweredLine<{ ready: NoulQuestion }> | FailedLine): string | number =>
  line.status === 200 ? line.response.answers.ready.noul : line.error.type;

test('the status of a failed line is one that an error has, so that 200 tells it from an answered one', async (t) => {
  t.type(narrowed, 'function');
  const statuses: Record<NonNullable<FailedLine['status']>, true> = {
    400: true,
    401: true,
    402: true,
    403: true,
    404: true,
    405: true,
    408: true,
    409: true,
    411: true,
    413: true,
    415: true,
    422: true,
    429: true,
    431: true,
    500: true,
    502: true,
    503: true,
    505: true,
  };
  const known = new Set(Object.values(ERRORS).map(({ status }) => String(status)));
  t.strictSame(Object.keys(statuses), [...known].sort());
});

test('the types of answers follow from the questions', async (t) => {
  t.type(types, 'function');
  t.type(typesOfTasks, 'function');
  t.type(named, 'function');
  t.strictSame(fitting(noul('Is it?', { yes: 'it is', no: null })), {
    type: 'noul',
    instructions: 'Is it?',
    criteria: { yes: 'it is', no: null },
  });
  t.strictSame(fitting(choice(null, ['a'])), { type: 'choice', criteria: ['a'] });
  t.strictSame(fitting(score('How?', ['low', null])), {
    type: 'score',
    instructions: 'How?',
    criteria: ['low', null],
  });
  t.equal(known('score'), 'score');
  t.match(received({ type: 'noul', noul: 0.9, accept: true }), { accept: true });
});
