import { useQuery } from '@tanstack/react-query';
import { read } from '../../../gateway/queries.js';

/** Names of the operator classes that an application may use. */
export function useClasses(id: string): readonly string[] {
  const { data } = useQuery({
    ...read('listOperatorClasses', { params: { appid: id } }),
    staleTime: 300_000,
  });
  return data?.operatorClasses.map(({ name }) => name) ?? [];
}

/** Ports and properties of one; nothing while nobody knows. */
export function useClass(id: string, operatorClass: string | undefined) {
  return useQuery({
    ...read('getOperatorClass', { params: { appid: id, operatorClass: operatorClass ?? '' } }),
    enabled: operatorClass !== undefined,
    staleTime: 300_000,
    retry: false,
  }).data;
}
