import type { Case } from './cases.js';
import type { Peer } from './peer.js';
import { type Asked, textsOf } from './texts.js';

/** The peer's unique tokens, derived from its counts for two requests. */
export interface PeerTokens {
  readonly prefix: number;
  readonly question: number;
}

/**
 * The peer counts the tokens it evaluates, without those in its cache. A request with one question and one with two are
 * therefore counted separately on the same state; the difference is one question.
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
