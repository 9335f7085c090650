import { useState } from 'preact/hooks';
import { LIMITS } from '../../api/index.js';
import { Editor } from '../editor/editor.js';
import { indented } from '../json/json-node.js';
import { readJson } from '../json/read-json.js';
import { ActionButton } from '../ui/action-button.js';
import { Choice } from '../ui/choice.js';
import { freeName, question } from './ask-draft.js';
import { questionsNode, questionsOf } from './ask-questions.js';
import { QuestionCard, type WrongPart } from './question-card.js';
import { SetsPanel } from './sets-panel.js';
import type { DraftProps } from './state-panel.js';
import type { AskFailure } from './use-asking.js';
import { messageFor } from './wrong-field.js';

const KINDS = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

interface QuestionsPanelProps extends DraftProps {
  /** Why the request was not answered; null: the reason is no field of it, or not known. */
  readonly wrong: AskFailure | null;
}

/** The questions, as a form or as JSON. */
export function QuestionsPanel({ draft, change, replace, wrong }: QuestionsPanelProps) {
  const { questionsKind, questions, questionsJson } = draft;
  const [problem, setProblem] = useState('');
  const show = (kind: 'form' | 'json') => {
    setProblem('');
    if (kind === 'json') {
      change({ questionsKind: kind, questionsJson: indented(questionsNode(questions)) });
      return;
    }
    try {
      change({ questionsKind: kind, questions: questionsOf(readJson(questionsJson)) });
    } catch (error) {
      setProblem(`The form cannot show this. ${(error as Error).message}`);
      change({ questionsKind: 'json' });
    }
  };
  return (
    <section class="panel" aria-labelledby="questions-title">
      <div class="bar">
        <h2 id="questions-title">Questions</h2>
        <Choice label="Kind of editor" options={KINDS} value={questionsKind} onChange={show} />
      </div>
      {questionsKind === 'json' ? (
        <Editor
          label="Questions, as JSON"
          hint='{"angry": {"type": "noul", "instructions": "Is the customer angry?"}}'
          language="json"
          value={questionsJson}
          wrong={messageFor(wrong, 'questions')}
          onChange={(text) => change({ questionsJson: text })}
        />
      ) : (
        <QuestionsForm draft={draft} change={change} replace={replace} wrong={wrong} />
      )}
      {problem !== '' && (
        <p class="under warning" role="alert">
          {problem}
        </p>
      )}
      <SetsPanel draft={draft} replace={replace} />
    </section>
  );
}

/** What is wrong with a question, by its number; null: nothing is known to be. */
function wrongOf(wrong: AskFailure | null, at: number): WrongPart | null {
  const message = messageFor(wrong, 'question');
  if (message === null || wrong?.field?.kind !== 'question' || wrong.field.at !== at) return null;
  return { part: wrong.field.part, message };
}

function QuestionsForm({ draft, change, replace, wrong }: QuestionsPanelProps) {
  const { questions } = draft;
  const add = () => {
    const name = freeName(
      questions.map((each) => each.name),
      'question',
    );
    change({ questions: [...questions, question(name, 'noul', '')] });
  };
  return (
    <>
      {questions.map((each, at) => (
        <QuestionCard
          key={each.id}
          question={each}
          place={at + 1}
          change={(next) => change({ questions: questions.map((old) => (old.id === next.id ? next : old)) })}
          remove={
            questions.length === 1
              ? null
              : () =>
                  replace(
                    { questions: questions.filter(({ id }) => id !== each.id) },
                    `Question ${at + 1} is removed.`,
                  )
          }
          removeOption={(next, what) =>
            replace({ questions: questions.map((old) => (old.id === next.id ? next : old)) }, what)
          }
          wrong={wrongOf(wrong, at)}
        />
      ))}
      <ActionButton off={questions.length >= LIMITS.questions} onClick={add}>
        Add a question
      </ActionButton>
      <span class="beside muted">
        {questions.length} of {LIMITS.questions}
      </span>
    </>
  );
}
