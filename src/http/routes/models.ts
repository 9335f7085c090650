import type { Handle, OpenCall } from './route.js';

/** `GET /v1/models`: every model served, once in each of the two lists of contract 2.8. */
export const models: Handle<OpenCall> = ({ app, model }) => {
  const served = app.models(model);
  const json = JSON.stringify({
    object: 'list',
    data: served.map(({ id, ownedBy }) => ({ id, object: 'model', owned_by: ownedBy })),
    models: served.map(({ id, description, releaseDate }) => ({
      name: id,
      description,
      release_date: releaseDate,
    })),
  });
  return { body: json };
};
