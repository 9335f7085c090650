import { buildId, ModelError, newestOf } from './manifest.js';
import type { Manifest, ManifestBuild, ManifestModel } from './manifest-schema.js';

/** A build to add to a manifest. */
export interface NewBuild {
  readonly build: ManifestBuild;
  /** Its model, used if the manifest does not have it yet. */
  readonly model: Omit<ManifestModel, 'builds'>;
  /** The fields of `model` that the operator gave: a model that exists must have the same values. */
  readonly given: ReadonlyArray<keyof ManifestModel>;
  /** Whether the operator chose the id. Otherwise it must be new: files of other models may have the same name. */
  readonly idGiven: boolean;
  /** Whether the model becomes the default. The first model always does. */
  readonly makeDefault: boolean;
  /**
   * Whether the paths of this build replace those of a build with the same SHA-256s that the manifest has; otherwise
   * those stay.
   */
  readonly replacesPaths?: boolean;
}

/** A changed manifest, and sentences about the change for the operator. */
interface ManifestChange {
  readonly manifest: Manifest;
  readonly notices: readonly string[];
}

interface Addition extends ManifestChange {
  /** The name of the build in the manifest. */
  readonly name: string;
}

/**
 * Adds a build to its model. The model's id stands for the new build if its date is the latest. If a build of this model
 * has the same files, that entry stays, except for its paths if `replacesPaths`. A build of another model with the same
 * files and the same profile passes on what was fitted for it.
 * `manifest`: null if there is none yet. Throws ModelError if the build contradicts the manifest.
 */
export function addBuild(manifest: Manifest | null, sent: NewBuild): Addition {
  const fitted = manifest === null ? null : findFitted(manifest, sent);
  const added = fitted === null ? sent : { ...sent, build: { ...sent.build, ...fitted.values } };
  const { model, makeDefault } = added;
  if (manifest === null) {
    const first = modelOf(added);
    return {
      manifest: { default: model.id, models: [first] },
      notices: [],
      name: buildId(first, added.build),
    };
  }
  const existing = manifest.models.find(({ id }) => id === model.id);
  const made = existing === undefined ? addModel(manifest, added) : extendModel(manifest, existing, added);
  const isNew = fitted !== null && made.manifest !== manifest;
  const change = isNew ? { ...made, notices: [...made.notices, fitted.notice] } : made;
  if (manifest.default === model.id) return change;
  if (makeDefault) return { ...change, manifest: { ...change.manifest, default: model.id } };
  const hint = `Requests that name no model still use ${manifest.default}; --default changes that.`;
  return { ...change, notices: [...change.notices, hint] };
}

/** The temperatures that were fitted for the same files under another name, and a sentence about them. */
function findFitted({ models }: Manifest, { model, build }: NewBuild) {
  for (const other of models) {
    if (other.id === model.id || other.profile !== model.profile) continue;
    const same = other.builds.find((each) => each.temperatures && sumsOf(each) === sumsOf(build));
    if (same?.temperatures === undefined) continue;
    const notice = `The temperatures that were fitted for ${buildId(other, same)}, which has the same files, are used too.`;
    return { values: { temperatures: same.temperatures }, notice };
  }
  return null;
}

/** With its fields in the order of the documentation. */
function modelOf({ model, build }: NewBuild): ManifestModel {
  const { id, description, release_date, ...others } = model;
  return { id, description, release_date, builds: [build], ...others };
}

function addModel(manifest: Manifest, added: NewBuild): Addition {
  const { model } = added;
  const notices: string[] = [];
  const models = manifest.models.map((other) => {
    const standIn = other.random_weights || other.domain !== undefined;
    if (!standIn || !other.answers_for?.includes(model.id)) return other;
    notices.push(`${other.id} no longer answers for ${model.id}.`);
    return { ...other, answers_for: other.answers_for.filter((id) => id !== model.id) };
  });
  const taken = models.find(
    (other) =>
      other.answers_for?.includes(model.id) || other.builds.some((each) => buildId(other, each) === model.id),
  );
  if (taken !== undefined) {
    throw new ModelError(
      `The manifest has the name ${model.id} already, for ${taken.id}. Give another --id.`,
    );
  }
  const own = modelOf(added);
  return {
    manifest: { ...manifest, models: [...models, own] },
    notices,
    name: buildId(own, added.build),
  };
}

function extendModel(
  manifest: Manifest,
  existing: ManifestModel,
  { model, build, given, idGiven, replacesPaths = false }: NewBuild,
): Addition {
  const { id } = existing;
  const name = buildId(existing, build);
  const withBuilds = (builds: ManifestModel['builds']): Manifest => ({
    ...manifest,
    models: manifest.models.map((each) => (each === existing ? { ...existing, builds } : each)),
  });
  const same = existing.builds.find((other) => sumsOf(other) === sumsOf(build));
  if (same !== undefined) {
    const found = buildId(existing, same);
    if (!replacesPaths || pathsOf(same) === pathsOf(build)) {
      return {
        manifest,
        notices: [`${found} has these files already; its entry is unchanged.`],
        name: found,
      };
    }
    const moved = { ...same, ...build, date: same.date };
    return {
      manifest: withBuilds(existing.builds.map((each) => (each === same ? moved : each))),
      notices: [`${found} now refers to the files that were downloaded.`],
      name: found,
    };
  }
  if (!idGiven) {
    throw new ModelError(
      `The manifest has another model ${id}. Give an --id of its own, or --id ${id} to make it the newest build of that model.`,
    );
  }
  if (existing.builds.some(({ date }) => date === build.date)) {
    throw new ModelError(`The manifest has another build ${name}. Give another --date or --id.`);
  }
  if (existing.reads_images !== model.reads_images) {
    throw new ModelError(
      existing.reads_images
        ? `${id} reads images, so its builds need a projector. Give --projector, or another --id.`
        : `${id} reads no images, so its builds have no projector. Give --projector none, or another --id.`,
    );
  }
  const other = given.find((field) => model[field as keyof typeof model] !== existing[field]);
  if (other !== undefined) {
    throw new ModelError(
      `${id} has the ${other} ${JSON.stringify(existing[other] ?? null)}, which applies to all its builds. Leave the option out, or give another --id.`,
    );
  }
  const builds = [...existing.builds, build];
  const newest = newestOf({ builds });
  const notices = [
    newest === build
      ? `${id} is answered by the new build from the next start or decider reload on; the older ones keep their own names.`
      : `${id} is still answered by ${buildId(existing, newest)}, whose date is later than ${build.date}.`,
  ];
  if (existing.temperatures !== undefined) {
    notices.push(`The temperatures of ${id} in the manifest apply to the new build too. Fit them again.`);
  }
  return { manifest: withBuilds(builds), notices, name };
}

const sumsOf = ({ sha256, parts = [], projector }: ManifestBuild) =>
  [sha256, ...parts.map((part) => part.sha256), projector?.sha256].join();

const pathsOf = ({ file, parts = [], projector }: ManifestBuild) =>
  JSON.stringify([file, ...parts.map((part) => part.file), projector?.file]);

/** A manifest without a build or model, and the builds that it no longer has. */
interface Removal extends ManifestChange {
  readonly removed: readonly ManifestBuild[];
}

/**
 * Removes a build by its name, or a model with all its builds. Throws ModelError for an unknown name, for the only model,
 * and for the build that answers requests without a model, unless `force`; the first other model is then the default.
 */
export function removeBuilds(manifest: Manifest, name: string, force: boolean): Removal {
  const found = manifest.models.find(
    (model) => model.id === name || model.builds.some((build) => buildId(model, build) === name),
  );
  if (found === undefined) throw new ModelError(unknownName(manifest, name));
  const removed = found.builds.filter((build) => found.id === name || buildId(found, build) === name);
  const left = found.builds.filter((build) => !removed.includes(build));
  const models = manifest.models.flatMap((model) => {
    if (model !== found) return [model];
    return left.length === 0 ? [] : [{ ...model, builds: left }];
  });
  const [first] = models;
  if (first === undefined) {
    throw new ModelError(`${name} is the only model of the manifest, which needs one. Add another first.`);
  }
  const newest = newestOf(found);
  const moving = [found.id, ...(found.answers_for ?? []), buildId(found, newest)];
  const answersDefault = removed.includes(newest)
    ? moving.includes(manifest.default)
    : removed.some((build) => buildId(found, build) === manifest.default);
  if (!answersDefault) return { manifest: { ...manifest, models }, removed, notices: [] };
  if (!force) {
    throw new ModelError(
      `${name} answers requests that name no model. Change default in the manifest first, or give --force.`,
    );
  }
  const after = left.length > 0 ? found.id : first.id;
  const notices = [
    `Requests that name no model are answered by ${after} from the next start or decider reload on.`,
  ];
  return { manifest: { ...manifest, default: after, models }, removed, notices };
}

function unknownName({ models }: Manifest, name: string): string {
  const alias = models.find(({ answers_for }) => answers_for?.includes(name));
  return alias === undefined
    ? `The manifest has no model ${name}. Run: decider models list`
    : `${name} is another name of ${alias.id}. Remove ${alias.id}, or edit answers_for in the manifest.`;
}
