import { withTimeout } from 'headgate/driver-kit';
import type { MasterClient } from '../masters/client.js';
import type { DeclaredProperty } from '../views/operator-class.js';
import { describeClass } from './operator-classes.js';

/** What the classes of an application's operators declare, asked once of each attempt: classes do not change while it lives. */
export interface ClassDeclarations {
  /** Property name to what is declared; `undefined`: the master can't tell, or has not told in time. */
  of(master: MasterClient, className: string, signal: AbortSignal | undefined): Promise<Declared | undefined>;
}

export type Declared = ReadonlyMap<string, DeclaredProperty>;

/** Milliseconds that somebody waits: the first question makes a master look through all its classes. */
const timeoutMillis = 4000;
const maxClasses = 1000;

export function createDeclarations(): ClassDeclarations {
  const asked = new Map<string, Promise<Declared | undefined>>();

  async function ask(master: MasterClient, className: string): Promise<Declared | undefined> {
    const description = await describeClass(master, className, undefined);
    return description && new Map(description.properties.map((property) => [property.name, property]));
  }

  /** Goes on when who asked has given up: the next one finds it. */
  function shared(master: MasterClient, className: string): Promise<Declared | undefined> {
    const asking = asked.get(className) ?? ask(master, className);
    if (!asked.has(className) && asked.size < maxClasses) asked.set(className, asking);
    asking.catch(() => asked.delete(className));
    return asking;
  }

  return {
    async of(master, className, signal) {
      return withTimeout(timeoutMillis, 'The master', signal, () => shared(master, className)).catch(
        () => undefined,
      );
    },
  };
}
