export type { DockerLimits, DockerRuntimeOptions } from './options.js';
export { dockerRuntime } from './runtime.js';
