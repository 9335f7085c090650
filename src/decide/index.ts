export { answer, commit } from './answers/answer.js';
export { roundProbabilities, UNITS } from './answers/probabilities.js';
export { answerJson } from './answers/response.js';
export { ANY_MODEL, type CheckedRequest, checkRequest, mayUse } from './check-request.js';
export { decompress } from './content/decompress.js';
export {
  type DecideDependencies,
  type Decision,
  decide,
  type Settlement,
} from './decide.js';
export type { DecideRequest, ImageUses, JsonNode, Question } from './decide-types.js';
export { fromDecisions } from './decisions-client/read-decisions.js';
export { decisionsBody } from './decisions-client/write-decisions.js';
export type { Diagnostics } from './diagnostics.js';
export { pinnedBuild } from './pinned-build.js';
export { planRequest } from './plan.js';
export { type PrepareResult, prepareSent, type SentRequest } from './prepare.js';
export { compactJson } from './request/compact-json.js';
export { type OpenBody, openBody, stateBytes } from './request/open-body.js';
export { readImageFields } from './request/read-request.js';
export type { FormatName } from './request-formats.js';
export { requireImageModel } from './request-images.js';
export { rotationsOf } from './rotations.js';
export { checkQuestions, readStoredQuestions } from './tasks/check-questions.js';
export { type AskedTask, refuseOwnQuestions } from './tasks/completed-body.js';
