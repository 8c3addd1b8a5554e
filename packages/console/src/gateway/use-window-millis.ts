import { useQuery } from '@tanstack/react-query';
import { useMay } from './capabilities.js';
import { read } from './queries.js';

/** What engines take when nobody says otherwise. */
const usualMillis = 500;

/** How long a window of the application lasts, in milliseconds. */
export function useWindowMillis(appid: string): number {
  const may = useMay();
  const { data } = useQuery({
    ...read('getApplicationAttributes', { params: { appid } }),
    enabled: may('getApplicationAttributes').ok,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const millis = Number(data?.['STREAMING_WINDOW_SIZE_MILLIS']);
  return millis > 0 ? millis : usualMillis;
}
