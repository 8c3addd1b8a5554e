export type { ServiceTarget, ServiceTargets } from './target.js';
