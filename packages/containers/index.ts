export type { DockerLimits, DockerRuntimeOptions } from './docker/options.js';
export { dockerRuntime } from './docker/runtime.js';
export type { ProcessLimits, ProcessRuntimeOptions } from './process/options.js';
export { processRuntime } from './process/runtime.js';
