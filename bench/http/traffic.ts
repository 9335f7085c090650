import { random } from '../../src/base/index.js';
import { generatedRequests, sentences } from '../../src/load/index.js';

/** Different questions of the traffic whose questions repeat. */
const QUESTION_SETS = 40;
/** The states of public clients have a median of 146 characters. */
const STATE_CHARACTERS = { least: 54, most: 238 };

/**
 * Requests as public clients send them: 1 to 3 described choices about a short message.
 *
 * @param repeats whether the questions are those of a few applications, as in real traffic, or new in each request
 * @param round another one has other messages, and other new questions
 */
export function trafficBodies(count: number, repeats: boolean, round: number): Buffer[] {
  const source = random(round);
  const requests = generatedRequests(repeats ? 0 : round, 'short');
  const questions = () => JSON.parse(requests.next().body.toString()).questions as object;
  const known = Array.from({ length: repeats ? QUESTION_SETS : 0 }, questions);
  const { least, most } = STATE_CHARACTERS;
  return Array.from({ length: count }, () => {
    const state = sentences(source, least + source.integer(most - least + 1));
    return Buffer.from(JSON.stringify({ state, questions: repeats ? source.pick(known) : questions() }));
  });
}
