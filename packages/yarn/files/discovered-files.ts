import { UnusableAnswer } from 'headgate/driver-kit';
import type { ClusterFiles } from './cluster-files.js';

/**
 * Where the file system is, from the configuration that the resource manager shows: base URLs of the name nodes, or
 * `file:///`. Empty when that does not tell.
 */
export function filesIn(configuration: Readonly<Record<string, string>>): string[] {
  const usual = configuration['fs.defaultFS'] ?? configuration['fs.default.name'] ?? '';
  if (usual.startsWith('file:')) return ['file:///'];
  const host = /^hdfs:\/\/([^/:]+)/.exec(usual)?.[1];
  const secure = configuration['dfs.http.policy'] === 'HTTPS_ONLY';
  const name = secure ? 'dfs.namenode.https-address' : 'dfs.namenode.http-address';
  const addresses = Object.entries(configuration)
    .filter(([key, value]) => (key === name || key.startsWith(`${name}.`)) && value !== '')
    .map(([, value]) => (host === undefined ? value : value.replace(/^0\.0\.0\.0:/, `${host}:`)));
  const found = addresses.filter((address) => !address.startsWith('0.0.0.0:'));
  const scheme = secure ? 'https' : 'http';
  if (found.length > 0) return [...new Set(found)].map((address) => `${scheme}://${address}`);
  // The port of Hadoop 2, when nobody says anything else.
  return host === undefined ? [] : [`http://${host}:50070`];
}

/** The file system is looked for when it is needed first; one that was not found is looked for again. */
export function discoveredFiles(
  configuration: () => Promise<Readonly<Record<string, string>>>,
  make: (urls: readonly string[]) => ClusterFiles,
): ClusterFiles {
  let found: ClusterFiles | undefined;

  async function files(): Promise<ClusterFiles> {
    if (found) return found;
    const urls = filesIn(await configuration());
    if (urls.length === 0)
      throw new UnusableAnswer(
        'The resource manager',
        'does not tell where the files are; give the option files',
      );
    found ??= make(urls);
    return found;
  }

  return {
    list: async (path, signal) => (await files()).list(path, signal),
    readText: async (path, signal) => (await files()).readText(path, signal),
    async *stream(path, signal) {
      yield* (await files()).stream(path, signal);
    },
    writeText: async (path, text, signal) => (await files()).writeText(path, text, signal),
    remove: async (path, signal) => (await files()).remove(path, signal),
    close: async () => found?.close(),
  };
}
