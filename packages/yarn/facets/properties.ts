import { type EventReader, InvalidInput, type Master } from 'headgate/driver-kit';
import * as z from 'zod';
import type { MasterClient } from '../masters/client.js';
import type { ClassDeclarations } from './class-declarations.js';
import { readLive } from './live-properties.js';
import { propertyPathOf } from './property-paths.js';
import { problemsWith } from './property-problems.js';
import {
  logicalNameOf,
  logicalPath,
  type Named,
  operatorPath,
  recordedProperties,
  requireRecorded,
} from './recorded-properties.js';

const Deployed = z.object({ className: z.string() });

interface PropertyDeps {
  readonly master: MasterClient;
  readonly declarations: ClassDeclarations;
  readonly events: EventReader;
}

/**
 * Everything is taken from the master's own record, which is what operators were given. A container is asked only when
 * the caller says so: it sends its answer by Java's serialization, and a value of a class that can't be sent so ends the
 * container's process, with the operators in it.
 *
 * The engine ignores properties that there are not, and makes 0 of what is no number, in silence; a value that it can't
 * set it writes down before it fails. So the record and the class are looked at before something is changed.
 */
export function propertyFacets({
  master,
  declarations,
  events,
}: PropertyDeps): Required<Pick<Master, 'properties' | 'physicalProperties'>> {
  const recorded = recordedProperties(master, events);

  async function requireFitting(
    values: Named,
    known: Named,
    className: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    requireRecorded(
      Object.keys(values).map((name) => propertyPathOf(name).head),
      known,
    );
    const declared = await declarations.of(master, className, signal);
    const issues = problemsWith(values, known, declared);
    if (issues.length > 0) throw new InvalidInput(issues);
  }

  return {
    properties: {
      async readOperator(id, { live = false, propertyName, signal } = {}) {
        const operator = await recorded.operator(id, signal);
        return live
          ? readLive({ master, declarations, recorded }, operator, propertyName, signal)
          : recorded.ofPartition(operator, signal);
      },
      readLogical: (name, { signal } = {}) => recorded.ofLogical(name, signal),

      async writeLogical(name, values, { signal } = {}) {
        const known = await recorded.ofLogical(name, signal);
        const { className } = await master.get(Deployed, logicalPath(name), signal);
        await requireFitting(values, known, className, signal);
        await master.post(`${logicalPath(name)}/properties`, values, signal);
      },
    },
    physicalProperties: {
      async write(id, values, { signal } = {}) {
        const operator = await recorded.operator(id, signal);
        const known = await recorded.ofLogical(logicalNameOf(operator), signal);
        const own = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, value ?? known[name] ?? null]),
        );
        await requireFitting(own, known, operator.className, signal);
        await master.post(`${operatorPath(id)}/properties`, own, signal);
      },
    },
  };
}
