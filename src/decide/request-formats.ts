import { answerOf } from './answers/answer.js';
import { type Answered, responseJson } from './answers/response.js';
import { type CheckedRequest, checkRequest, type RequestTerms } from './check-request.js';
import { checkDecisions, type DecisionsCatalog } from './decisions/check-decisions.js';
import { decisionsJson } from './decisions/decisions-response.js';
import { CUT_STATE, type LongTexts } from './plan.js';
import { type OpenBody, openBody } from './request/open-body.js';
import { completedBody } from './tasks/completed-body.js';
import { taskResponse } from './tasks/task-response.js';

/** The form of a request and of its response. */
export type FormatName = 'decide' | 'systemone' | 'decisions' | 'task';

interface Format {
  /** Reads a JSON body and makes every check that needs neither tokens nor decoded images. Throws ApiError. */
  check(body: Uint8Array, terms: RequestTerms, catalog: DecisionsCatalog): CheckedRequest;
  readonly long: LongTexts;
  /** Writes the response as JSON. */
  response(answered: Answered): string;
}

/** Every format. Nothing between reading a request and writing its response depends on the format. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  decide: decideFormat('decide'),
  systemone: decideFormat('systemone'),
  decisions: {
    check: checkDecisions,
    long: { stateCodePoints: null, longQuestion: 'left out' },
    response: decisionsJson,
  },
  task: {
    check: (body, terms, catalog) =>
      checkRequest(withTask(openBody(body), terms), { ...terms, format: 'decide' }, catalog),
    long: CUT_STATE,
    response: taskResponse,
  },
};

function withTask(body: OpenBody, { task }: RequestTerms): OpenBody {
  if (task === undefined) throw new Error('a request about a task has no task');
  return completedBody(body, task);
}

/** The form of contract 2.1 and contract 2.4. */
function decideFormat(format: 'decide' | 'systemone'): Format {
  return {
    check: (body, terms, catalog) => checkRequest(openBody(body), { ...terms, format }, catalog),
    long: CUT_STATE,
    response: ({ build, questions, units, usage, extras }) => {
      const answers = questions.map((question, index) =>
        answerOf(question, units[index] as readonly number[]),
      );
      return responseJson(build, questions, answers, usage, extras);
    },
  };
}
