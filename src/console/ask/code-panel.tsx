import { useMemo, useState } from 'preact/hooks';
import { Choice } from '../ui/choice.js';
import { CopyButton } from '../ui/copy-button.js';
import { saveFile } from '../ui/save-file.js';
import { useSettled } from '../ui/use-settled.js';
import type { Draft } from './ask-draft.js';
import { codeOf, LANGUAGES, type Language } from './code.js';
import { imageFiles } from './image-files.js';
import { buildRequest } from './request.js';
import { packDraft } from './share.js';

/** Longer programs are shown up to here; the copy is whole. */
const SHOWN_CHARACTERS_MAX = 8_000;

/** How long typing must pause before the program follows, in milliseconds. */
const SETTLE_MS = 200;

/** The request as a program, and as a link. */
export function CodePanel({ draft }: { readonly draft: Draft }) {
  const [language, setLanguage] = useState<Language>('curl');
  // Building a long request takes as long as typing must not.
  const settled = useSettled(draft, SETTLE_MS);
  const server = new URL('.', document.baseURI).href;
  const code = useMemo(
    () => orError(() => codeOf(language, buildRequest(settled), server)),
    [settled, language, server],
  );
  const link = async () => {
    const address = new URL(document.baseURI);
    address.hash = `/ask?r=${await packDraft(draft)}`;
    return address.href;
  };
  return (
    <section class="panel" aria-labelledby="code-title">
      <div class="bar">
        <h2 id="code-title">The same request elsewhere</h2>
        <Choice label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
      </div>
      {code instanceof Error ? (
        <p class="muted">{code.message}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long program scrolls, also with the keyboard
        <section class="code" tabIndex={0} aria-label="Program">
          <pre>{code.length > SHOWN_CHARACTERS_MAX ? `${code.slice(0, SHOWN_CHARACTERS_MAX)}…` : code}</pre>
        </section>
      )}
      <div class="bar">
        <CopyButton
          label="Copy"
          text={() => copied(draft, language, server)}
          disabled={code instanceof Error}
        />
        <CopyButton label="Copy a link to this request" text={link} />
      </div>
      {draft.images.length > 0 && <ImageFiles images={draft.images} />}
      <p class="muted">
        Programs read the key from the variable <code>TOKEN</code>. A link holds the request but neither key
        nor images, and is not sent to any server.
      </p>
    </section>
  );
}

/** Saves the images as the programs read them. */
function ImageFiles({ images }: Pick<Draft, 'images'>) {
  const files = imageFiles(images);
  return (
    <div class="actions">
      <span class="muted">Programs read the images from files, which you can save as they are sent:</span>
      {images.map(({ id, file }, at) => (
        <button key={id} type="button" onClick={() => saveFile(file, files[at] as string)}>
          Save {files[at]}
        </button>
      ))}
    </div>
  );
}

/** The program of the draft as it is now. Throws NotReady, or NotInOpenAi. */
const copied = (draft: Draft, language: Language, server: string): string =>
  codeOf(language, buildRequest(draft), server);

/** The program, or the reason why there is none. */
function orError(write: () => string): string | Error {
  try {
    return write();
  } catch (error) {
    return error as Error;
  }
}
