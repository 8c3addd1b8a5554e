import { join } from 'node:path';
import type { StatsReader } from 'headgate/driver-kit';
import { createStatsReader, type StatsReaderOptions } from '../events-and-stats/stats-reader.js';
import { createPartReader } from '../part-files/reader.js';
import { localPartFiles } from '../part-files/source.js';
import { folderOf, parseContainerLine, parseOperatorLine, statsFormat } from './stats-lines.js';

/** `application` is the directory of the application's files; `settled` is awaited before each reading. */
export function statsReader(
  application: string,
  { settled, ...options }: StatsReaderOptions & { readonly settled: () => Promise<void> },
): StatsReader {
  const open = async (folder: string) => {
    await settled();
    return createPartReader(localPartFiles(join(application, 'stats', folder)), statsFormat);
  };
  return createStatsReader(
    {
      containers: () => open('containers'),
      operator: (name) => open(join('operators', folderOf(name))),
      parseContainer: parseContainerLine,
      parseOperator: parseOperatorLine,
    },
    options,
  );
}
