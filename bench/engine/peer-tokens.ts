import type { Case } from './cases.js';
import type { Peer } from './peer.js';
import { type Asked, textsOf } from './texts.js';

/** How many tokens the peer cannot do without, from what it says of two requests that share nothing. */
export interface PeerTokens {
  readonly prefix: number;
  readonly question: number;
}

/**
 * The peer counts what it evaluates, and leaves out what it still holds. So a request with one question and
 * one with two are each counted alone, on a new state of the same length: the difference is a question.
 */
export async function peerTokens(peer: Peer, one: Case): Promise<PeerTokens> {
  const count = (questions: number) =>
    peer.count(textsOf({ ...one, requests: 1, questions }, `count ${questions}`)[0] as Asked);
  const [first, second] = [await count(1), await count(2)];
  return { prefix: 2 * first - second, question: second - first };
}

export function peerUnique(one: Case, { prefix, question }: PeerTokens): number {
  const states = one.oneState ? 1 : one.requests;
  return states * prefix + one.requests * one.questions * question;
}
