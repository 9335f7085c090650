export { type Answer, answer, type ChoiceAnswer, type NoulAnswer, type ScoreAnswer } from './answer.js';
export { roundProbabilities } from './probabilities.js';
export { answerJson, responseJson, type Usage } from './response.js';
export { softmax } from './softmax.js';
