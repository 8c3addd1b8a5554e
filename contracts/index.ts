export type { Suite } from './suite.js';
