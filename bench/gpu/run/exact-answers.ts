import { generatedRequests, type HttpTarget } from '../../../src/load/index.js';

/** How often each is sent, in an order in which its copies run beside other requests and on all contexts. */
const COPIES = 4;
const SEED = 11;
const CAUSE_CHARACTERS = 120;

/**
 * In exact mode the same request has the same answers, on every context and in any company: counts the requests, of `count`,
 * that had others.
 */
export async function compareAnswers(target: Pick<HttpTarget, 'post'>, count: number, stop: AbortSignal) {
  const source = generatedRequests(SEED, 'mix');
  const bodies = Array.from({ length: count }, () => source.next().body);
  const sent = Array.from({ length: COPIES }, () => bodies.map((body) => target.post(body, stop)));
  const replies = await Promise.all(sent.flat());
  const answered = replies.map(({ status, text }) =>
    status === 200 ? JSON.stringify((JSON.parse(text) as { answers?: unknown }).answers) : null,
  );
  const refused: Record<string, number> = {};
  for (const { status, text } of replies) {
    if (status === 200) continue;
    const cause = `${status} ${text.slice(0, CAUSE_CHARACTERS)}`;
    refused[cause] = (refused[cause] ?? 0) + 1;
  }
  const differing = bodies.filter((_, at) => {
    const copies = Array.from({ length: COPIES }, (__, copy) => answered[copy * count + at] ?? null);
    return new Set(copies.filter((answers) => answers !== null)).size > 1;
  });
  return { requests: count, copies: COPIES, refused, differing: differing.length };
}
