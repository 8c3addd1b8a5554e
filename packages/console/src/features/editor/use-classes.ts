import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { client } from '../../gateway/client.js';
import { read } from '../../gateway/queries.js';
import { type Definition, operatorsIn } from './definition.js';
import type { PortsOf } from './port-types.js';

export type OperatorClass = Awaited<ReturnType<typeof client.getPackageOperator>>;

export interface Classes {
  readonly known: readonly OperatorClass[];
  /** All of them were read: what is not among them is not there. */
  readonly isWhole: boolean;
  readonly portsOf: PortsOf;
}

const none: readonly OperatorClass[] = [];

export function useClasses(
  ref: { readonly owner: string; readonly name: string; readonly version: string },
  definition: Definition,
): Classes {
  const { owner, name, version } = ref;
  const { data } = useQuery(read('listPackageOperators', { params: { owner, name, version } }));
  const known = data?.operatorClasses ?? none;
  const byName = useMemo(() => new Map(known.map((one) => [one.name, one])), [known]);
  const names = JSON.stringify(operatorsIn(definition).map((operator) => [operator.name, operator.class]));
  const portsOf = useMemo(() => {
    const classOf = new Map<string, string>(JSON.parse(names));
    return (operator: string) => byName.get(classOf.get(operator) ?? '');
  }, [names, byName]);
  return { known, isWhole: data !== undefined && !data.problems?.length, portsOf };
}
