import type { Case } from './cases.js';
import type { Peer } from './peer.js';
import { type Asked, textsOf } from './texts.js';

/** How many tokens the peer cannot do without, from what it says of two requests. */
export interface PeerTokens {
  readonly prefix: number;
  readonly question: number;
}

/**
 * The peer counts what it evaluates, and leaves out what it still holds. So a request with one question and
 * one with two are each counted alone, on one state: the difference is a question.
 */
export async function peerTokens(peer: Peer, one: Case): Promise<PeerTokens> {
  const [asked] = textsOf({ ...one, requests: 1, questions: 2 }, 'count') as [Asked];
  const count = (questions: number) =>
    peer.count({ ...asked, questions: asked.questions.slice(0, questions) });
  const [first, second] = [await count(1), await count(2)];
  return { prefix: 2 * first - second, question: second - first };
}

export function peerUnique(one: Case, { prefix, question }: PeerTokens): number {
  const states = one.oneState ? 1 : one.requests;
  return states * prefix + one.requests * one.questions * question;
}
