export type { ProcessLimits, ProcessRuntimeOptions } from './options.js';
export { processRuntime } from './runtime.js';
