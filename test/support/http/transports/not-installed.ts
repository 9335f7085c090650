// Takes the place of uWebSockets.js in its check: is not there.
export const loadUws = () =>
  Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' }));
