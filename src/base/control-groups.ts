// The installer counts the cores in the same way, before anything is compiled.
export { type ControlGroup, controlGroups, readGroupFile, usableCores } from '#native/control-groups.mjs';
