import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { IMAGE_BUDGETS, LIMITS } from '../../api/index.js';
import { Choice } from '../ui/choice.js';
import { DropZone } from '../ui/drop-zone.js';
import { bytes, count } from '../ui/format-values.js';
import { leaveItem } from '../ui/leave-item.js';
import { addedImages, type ImageDraft } from './ask-draft.js';
import { ImageProblem, readImage } from './ask-images.js';
import { usesOf } from './request.js';
import type { DraftProps } from './state-panel.js';

interface ImagesPanelProps extends DraftProps {
  /** What is wrong with the images; null: nothing is known to be. */
  readonly wrong: string | null;
}

/** The images of a request, each with the name by which texts refer to it. */
export function ImagesPanel({ draft, change, replace, wrong }: ImagesPanelProps) {
  const { images } = draft;
  const [problem, setProblem] = useState('');
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const read = async (files: File[]) => {
    const made: ImageDraft[] = [];
    try {
      for (const file of files) {
        if (images.length + made.length >= LIMITS.assets) {
          throw new ImageProblem(`A request has at most ${LIMITS.assets} images.`);
        }
        made.push(await readImage(file));
      }
    } catch (error) {
      setProblem((error as Error).message);
    }
    // Meanwhile the user may have typed.
    change((now) => addedImages(now, made));
  };
  const latest = useRef(read);
  latest.current = read;
  // Files are read one drop after another: the order of the images is that of the drops, and each drop counts those before.
  const drops = useRef(Promise.resolve());
  const add = (files: File[]) => {
    setProblem('');
    drops.current = drops.current.then(() => latest.current(files));
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
      // Another view may be shown, with a form of its own.
      if (files.length === 0 || (panel.current?.offsetParent ?? null) === null) return;
      event.preventDefault();
      add(files);
    };
    // Before an editor takes it for text.
    document.addEventListener('paste', paste, true);
    return () => document.removeEventListener('paste', paste, true);
  }, []);
  const set = (changed: ImageDraft) =>
    change({ images: images.map((each) => (each.id === changed.id ? changed : each)) });
  return (
    <section ref={panel} class="panel" aria-labelledby={`${id}-title`}>
      <div class="bar">
        <h2 id={`${id}-title`}>Images</h2>
        {images.length > 0 && (
          <Choice
            label="Most tokens per image"
            options={IMAGE_BUDGETS.map((each) => [String(each), `${each} tokens`] as const)}
            value={String(draft.imageBudget)}
            onChange={(text) =>
              change({ imageBudget: IMAGE_BUDGETS.find((each) => String(each) === text) ?? 280 })
            }
          />
        )}
      </div>
      <DropZone label="Choose images" accept="image/png,image/jpeg" multiple onFiles={add}>
        or drop or paste PNG or JPEG files here
      </DropZone>
      {problem !== '' && (
        <p class="under warning" role="alert">
          {problem}
        </p>
      )}
      {wrong !== null && (
        <p id={`${id}-wrong`} class="under warning">
          {wrong}
        </p>
      )}
      {images.map((image) => (
        <ImageRow
          key={image.id}
          image={image}
          uses={usesOf(image.name, draft)}
          change={set}
          remove={() =>
            replace({ images: images.filter(({ id }) => id !== image.id) }, `Image ${image.name} is removed.`)
          }
          wrongId={
            wrong !== null && (images.length === 1 || wrong.includes(JSON.stringify(image.name)))
              ? `${id}-wrong`
              : null
          }
        />
      ))}
    </section>
  );
}

interface ImageRowProps {
  readonly image: ImageDraft;
  readonly uses: number;
  readonly change: (image: ImageDraft) => void;
  readonly remove: () => void;
  /** The id of the text that says what is wrong with it; null: nothing is. */
  readonly wrongId: string | null;
}

function ImageRow({ image, uses, change, remove, wrongId }: ImageRowProps) {
  const { name, file, width, height, scaled, turned, source } = image;
  const used =
    uses === 0
      ? 'Not used yet: write this name into the state or a question.'
      : `Used ${count(uses, 'time')}.`;
  return (
    <div class="image">
      <Thumbnail file={file} width={width} height={height} />
      <div>
        <label>
          Name in the texts
          <input
            type="text"
            value={name}
            spellcheck={false}
            dir="auto"
            aria-invalid={wrongId !== null}
            aria-describedby={wrongId ?? undefined}
            onInput={({ currentTarget }) => change({ ...image, name: currentTarget.value })}
          />
        </label>
        <p class="muted">
          {source}: {width} × {height} pixels{scaled && ', scaled down'}
          {turned && ', turned by its EXIF data'}, {bytes(file.size)}
        </p>
        <p class={uses === 0 ? 'warning' : 'muted'}>{used}</p>
      </div>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove image ${name}`}
        onClick={({ currentTarget }) => {
          leaveItem(currentTarget.closest('.image') ?? currentTarget);
          remove();
        }}
      >
        Remove
      </button>
    </div>
  );
}

function Thumbnail({
  file,
  width,
  height,
}: {
  readonly file: Blob;
  readonly width: number;
  readonly height: number;
}) {
  const [address, setAddress] = useState<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return <img src={address} width={width} height={height} alt="" />;
}
