import { NotFound, type OperatorClassReader, undefinedIfUnknown } from 'headgate/driver-kit';
import * as z from 'zod';
import type { MasterClient } from '../masters/client.js';
import { ClassDescription, classView } from '../views/operator-class.js';

const ClassNames = z.object({ operatorClasses: z.array(z.object({ name: z.string() })) });

/** `undefined` for a class that the master does not know, or that is no operator. */
export const describeClass = (master: MasterClient, className: string, signal: AbortSignal | undefined) =>
  master
    .get(ClassDescription, `operatorClasses/${encodeURIComponent(className)}`, signal, 'slow')
    .catch(undefinedIfUnknown);

/** The first question makes a master look through everything that it has loaded, which takes a while. */
export const operatorClassFacet = (master: MasterClient): OperatorClassReader => ({
  async list(query, { signal } = {}) {
    const path = `operatorClasses?${new URLSearchParams({ ...query })}`;
    const found = await master.get(ClassNames, path, signal, 'slow').catch(undefinedIfUnknown);
    if (!found) throw new NotFound('operator class', query.parent ?? '');
    return found.operatorClasses.map(({ name }) => name);
  },
  async describe(className, { signal } = {}) {
    const found = await describeClass(master, className, signal);
    if (!found) throw new NotFound('operator class', className);
    return classView(found);
  },
});
