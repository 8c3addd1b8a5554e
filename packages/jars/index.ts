export type { JarLimits } from './limits.js';
export { jarReader } from './reader.js';
