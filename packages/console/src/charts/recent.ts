import { useEffect, useState } from 'react';

const most = 60;

/** The last values of something that is told again and again; `at` says that it was. */
export function useRecent(
  value: number | undefined,
  at: number | undefined,
): readonly (number | undefined)[] {
  const [points, setPoints] = useState<readonly (number | undefined)[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a value that is told twice is two points.
  useEffect(() => {
    if (at !== undefined) setPoints((before) => [...before.slice(1 - most), value]);
  }, [at]);
  return points;
}
