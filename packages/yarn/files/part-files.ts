import type { PartFiles } from '@headgate/history';
import type { PartFormat } from '@headgate/history/formats';
import { openPartOf, parseIndex, partName } from '@headgate/history/formats';
import type { ClusterFiles } from './cluster-files.js';

/**
 * A collection in the cluster's file system. A master that starts again begins the collection anew, and leaves parts of
 * its predecessor lying about: one of those is not taken for the part that is being written, because it begins before
 * the last one that was closed.
 */
export function clusterPartFiles(files: ClusterFiles, folder: string, format: PartFormat): PartFiles {
  let open: { readonly name: string; readonly since: number } | undefined;

  return {
    async readText(name, signal) {
      const text = await files.readText(`${folder}/${name}`, signal);
      if (name === 'index.txt') {
        const index = parseIndex(text ?? '');
        open = { name: partName(openPartOf(index)), since: index.parts.at(-1)?.first ?? -Infinity };
      }
      return text;
    },
    async *stream(name, signal) {
      const content = files.stream(`${folder}/${name}`, signal);
      if (open?.name !== name || open.since === -Infinity) yield* content;
      else yield* unlessOlder(content, format, open.since);
    },
  };
}

/** Nothing of a content whose first line is older. */
async function* unlessOlder(
  content: AsyncIterable<Uint8Array>,
  format: PartFormat,
  since: number,
): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of content) {
    if (!head) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\n');
    if (end < 0) continue;
    const time = format.timeOf(head.toString('utf8', 0, end));
    if (time !== undefined && time < since) return;
    yield head;
    head = undefined;
  }
  if (head) yield head;
}
