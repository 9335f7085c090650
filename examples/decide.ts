// Asks two questions with the System One client and acts on the answers.
import { APIError, choice, noul, TypeSafeClient } from '@typesafe-ai/sdk';

const { URL: baseURL = 'http://127.0.0.1:8080', TOKEN: apiKey } = process.env;
if (apiKey === undefined) throw new Error('Set TOKEN to the token of a key.');
const client = new TypeSafeClient({ apiKey, baseURL });

try {
  const { model, answers, usage } = await client.systemOne({
    state: { customer: 'gold', message: 'My card was charged twice!' },
    questions: {
      angry: noul('Is the customer angry?'),
      team: choice('Who should handle this?', { billing: 'Payments and refunds', technical: 'Defects' }),
    },
  });
  const { choice: team, confidence } = answers.team;
  // Below a threshold of your own, a person decides.
  const route = confidence >= 0.8 ? team : 'review';
  console.log(JSON.stringify({ model, angry: answers.angry.noul, team, confidence, route, usage }));
} catch (error) {
  if (!(error instanceof APIError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
