import type { Deployment } from './deployment.js';

/** The deployments of this container, of which each takes the place of the one before. */
export interface Deployments {
  readonly current: Deployment | undefined;
  /** The operator that what was thrown just now is told of; `undefined` where that is not known. */
  readonly blamed: string | undefined;
  /** Closes the one that is there before it makes the next. */
  replace(make: () => Promise<Deployment>): Promise<void>;
}

export function createDeployments(): Deployments {
  let current: Deployment | undefined;
  return {
    get current() {
      return current;
    },
    get blamed() {
      const nodes = current?.nodes ?? [];
      return current?.meter.current?.id ?? (nodes.length === 1 ? nodes[0]?.id : undefined);
    },
    async replace(make) {
      await current?.close();
      current = undefined;
      current = await make();
    },
  };
}
