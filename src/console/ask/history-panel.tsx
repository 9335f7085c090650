import type { Answer } from '../api/api-types.js';
import { preciseTime } from '../ui/format-values.js';
import { shortAnswer } from './answer-summary.js';
import type { PastRequest } from './history.js';
import { sentOrder } from './sent-order.js';

interface HistoryPanelProps {
  readonly past: readonly PastRequest[];
  readonly onOpen: (request: PastRequest) => void;
  readonly onClear: () => void;
}

/** The requests that were answered in this browser. */
export function HistoryPanel({ past, onOpen, onClear }: HistoryPanelProps) {
  return (
    <details class="panel history">
      <summary>
        <h2>History</h2> <span class="muted">{past.length === 0 ? 'nothing yet' : past.length}</span>
      </summary>
      <p class="muted">
        The last requests and their answers, kept in this browser without the key and without images.
      </p>
      {past.length > 0 && (
        <>
          <ol class="past">
            {past.map((each) => (
              <li key={each.at}>
                <button type="button" class="quiet" onClick={() => onOpen(each)}>
                  {preciseTime(new Date(each.at).toISOString())}
                </button>
                <span class="past-state" dir="auto">
                  {each.draft.state.slice(0, STATE_CHARACTERS)}
                </span>
                <span class="muted" dir="auto">
                  {answersText(each)}
                </span>
              </li>
            ))}
          </ol>
          <button type="button" onClick={onClear}>
            Clear the history
          </button>
        </>
      )}
    </details>
  );
}

function answersText({ outcome: { questions, response } }: PastRequest): string {
  const names = questions.map(({ name }) => name);
  return sentOrder(names, response.answers)
    .map((name) => `${name}: ${shortAnswer(response.answers[name] as Answer)}`)
    .join(' · ');
}

/** Characters of a state that a line shows; the style sheet cuts it at the end of the line. */
const STATE_CHARACTERS = 200;
