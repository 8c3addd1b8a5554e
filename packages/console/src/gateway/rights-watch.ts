import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { capabilities } from './capabilities.js';
import { queryClient, read } from './queries.js';

/** How soon somebody who only looks learns of rights that were given or taken. */
const everyMillis = 30_000;

const ofRights: ReadonlySet<unknown> = new Set(['getCapabilities', 'getProfile']);

/** When the caller's rights have changed, what is on the screen is read anew: each thing says what may be done with it. */
export function useRightsWatch(): void {
  // The same answer is the same object.
  const { data: allowed } = useQuery({ ...capabilities, refetchInterval: everyMillis });
  const { data: profile } = useQuery({ ...read('getProfile', {}), refetchInterval: everyMillis });
  const known = useRef<readonly unknown[]>(undefined);
  useEffect(() => {
    if (!allowed || !profile) return;
    const rights = [allowed, profile];
    const before = known.current;
    known.current = rights;
    if (before && rights.some((one, at) => one !== before[at]))
      void queryClient.invalidateQueries({ predicate: ({ queryKey: [id] }) => !ofRights.has(id) });
  }, [allowed, profile]);
}
