import type { Logger } from '../../../interfaces/logger.js';
import { allNeeded } from '../definition/dependency-graph.js';
import type { Supervisors } from '../supervision/supervisors.js';
import type { Dependents } from './dependents.js';

/**
 * Deletes services that launches brought and that nobody needs any more: those named, and those named before that were
 * still needed then. What needs others goes first.
 */
export function transientRemoval(deps: {
  readonly supervisors: Supervisors;
  readonly dependents: Dependents;
  readonly logger: Logger;
}): (names: readonly string[]) => Promise<void> {
  const { supervisors, dependents, logger } = deps;
  /** What applications needed, as long as something else still needs it. */
  const idle = new Set<string>();

  /** An application or a launch needs it, or another service that does not go with it. */
  const isNeeded = (name: string) =>
    dependents.isNeeded(name) ||
    supervisors
      .all()
      .some(
        ({ stored: { state, definition } }) =>
          state !== 'REMOVING' && definition.requiredServices.includes(name),
      );

  return async (names) => {
    for (const name of names) idle.add(name);
    for (const name of [...allNeeded([...idle], supervisors.needs())].reverse()) {
      const supervisor = supervisors.get(name);
      if (!idle.has(name) || (supervisor?.stored.transient && isNeeded(name))) continue;
      idle.delete(name);
      if (!supervisor?.stored.transient) continue;
      await supervisor
        .send('delete')
        .catch((err) =>
          logger.error(
            { event: 'service.delete_failed', service: name, err },
            'a service can not be deleted',
          ),
        );
    }
  };
}
