// Takes the place of uWebSockets.js in its check: does not load.
export const loadUws = () => Promise.reject(new Error('no binary'));
