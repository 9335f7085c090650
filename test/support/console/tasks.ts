import type { Page } from 'playwright-core';
import { createKey, createWorkspace, grantCredit } from '../access/folder-changes.js';
import { HOSTILE_LABEL, HOSTILE_NAME } from './batch-file.js';
import type { ConsoleWorld } from './console.js';

/** The questions of a task: one of each type. */
export const QUESTIONS = {
  angry: { type: 'noul', instructions: 'Is the customer angry?' },
  team: { type: 'choice', criteria: ['billing', 'technical', 'sales'] },
  urgency: { type: 'score', criteria: ['can wait', 'today', 'now'] },
};

/** Questions, a label and a description that would be markup, or change the direction of what follows. */
export const HOSTILE_TASK = {
  questions: {
    [HOSTILE_NAME]: {
      type: 'choice',
      instructions: HOSTILE_NAME,
      criteria: [HOSTILE_LABEL, 'b'.repeat(200)],
    },
  },
  description: `${HOSTILE_NAME} ${'\u202e'}${'x'.repeat(1_023 - HOSTILE_NAME.length - 1)}`,
};

/** A promise that few labels can keep. */
export const EASY = { target_error: 0.4, confidence: 0.7 };
/** Every so many answers, one is labelled as wrong: of 24, two, so that there is a threshold however labels are divided. */
export const WRONG_EVERY = 12;

let workspaces = 0;

/** A key of a workspace of its own, with credit. */
export function ownKey({ store, clock }: ConsoleWorld): string {
  workspaces += 1;
  const workspace = `tasks-${workspaces}`;
  createWorkspace(store, clock, workspace);
  grantCredit(store, clock, workspace, 10n ** 13n);
  return createKey(store, clock, workspace).token;
}

/** Calls the tasks of a key, as a client beside the console does. */
export function tasksOf({ url }: Pick<ConsoleWorld, 'url'>, token: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(`${url}/v1/tasks${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: content }),
    });
  };
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect
  const json = async (response: Promise<Response>): Promise<any> => (await response).json();
  return {
    put: (name: string, task: object = { questions: QUESTIONS }) => json(call('PUT', `/${name}`, task)),
    show: (name: string) => json(call('GET', `/${name}`)),
    list: async () => (await json(call('GET', ''))).data,
    fit: (name: string) => json(call('POST', `/${name}/fit`, '')),
    /** Asks about so many states. The ids of the requests with the most probable option of `angry`. */
    answer: (name: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const state = `Message ${at}: ${'my card was charged '.repeat(at % 7)}${at * 31}`;
          const response = await call('POST', `/${name}/decide`, { state });
          const { noul } = (await json(Promise.resolve(response))).answers.angry;
          return { id: response.headers.get('x-request-id') as string, angry: noul >= 0.5 };
        }),
      ),
  };
}

/** Lines with labels of answers; every `wrong`-th says that the answer was wrong. */
export const labelLines = (
  answers: ReadonlyArray<{ readonly id: string; readonly angry: boolean }>,
  wrong = Number.POSITIVE_INFINITY,
): string =>
  answers
    .map(({ id, angry }, at) =>
      JSON.stringify({ request_id: id, expected: { angry: at % wrong === wrong - 1 ? !angry : angry } }),
    )
    .join('\n');

/** Chooses a file of labels in the file dialog. */
export async function chooseLabels(page: Page, content: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file of labels' }).click();
  await (await chooser).setFiles({ name: 'labels.jsonl', mimeType: '', buffer: Buffer.from(content) });
}

/** A task with answers, labels and a fit in force. */
export async function fittedTask(
  world: ConsoleWorld,
  token: string,
  name: string,
  answers = 24,
): Promise<void> {
  const tasks = tasksOf(world, token);
  await tasks.put(name, { questions: QUESTIONS, description: 'Mail to support', ...EASY });
  const response = await fetch(`${world.url}/v1/tasks/${name}/labels`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: labelLines(await tasks.answer(name, answers), WRONG_EVERY),
  });
  if (!response.ok) throw new Error(await response.text());
  await tasks.fit(name);
}
