// `headgate/runtime`, names only: the part of the driver kit that processes of a driver load as well. It has no schemas behind
// it, so that a process that only writes files starts fast and stays small.
export { createMutex, type Mutex } from './runtime/mutex.js';
export { isMissing, readIfThere, syncFolder, writeWhole } from './runtime/whole-files.js';
