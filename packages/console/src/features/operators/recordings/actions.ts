import { both, type May, unless } from '../../../gateway/capabilities.js';
import { client } from '../../../gateway/client.js';
import { changed } from '../../../gateway/queries.js';
import { failed, said } from '../../../shell/notify.js';
import { confirm } from '../../../shell/question.js';
import { useMayChange } from '../use-operators.js';
import { words } from './words.js';

export interface Kept {
  readonly id: string;
  readonly operatorId: string;
  readonly ended: boolean;
  readonly ports: readonly { readonly name: string }[];
}

const readAgain = () =>
  changed('listApplicationRecordings', 'listOperatorRecordings', 'getRecording', 'listPhysicalOperators');

export function useMayRecord(appid: string): {
  readonly stop: (recording: Kept) => May;
  readonly remove: (recording: Kept) => May;
} {
  const may = useMayChange(appid);
  return {
    stop: ({ ended }) => both(unless(ended, words.hasEnded), may('stopOperatorRecording')),
    remove: ({ ended }) => both(unless(!ended, words.notEnded), may('deleteRecording')),
  };
}

/** Of all ports of a partition, or of one; the id of the recording, or nothing when it was refused. */
export async function record(appid: string, opid: string, port?: string): Promise<string | undefined> {
  try {
    const { id } =
      port === undefined
        ? await client.startOperatorRecording({ params: { appid, opid }, body: {} })
        : await client.startPortRecording({ params: { appid, opid, portName: port }, body: {} });
    said(words.started);
    await readAgain();
    return id;
  } catch (error) {
    failed(words.record, error);
    return undefined;
  }
}

export function askToStop(appid: string, recording: Kept): void {
  const { id, operatorId } = recording;
  confirm({
    title: words.stopTitle(id),
    text: words.stopText,
    verb: words.stop,
    async act() {
      await client.stopOperatorRecording({ params: { appid, opid: operatorId } });
      said(words.stopped);
      await readAgain();
    },
  });
}

export function askToRemove(appid: string, { id, operatorId }: Kept, then?: () => unknown): void {
  confirm({
    title: words.removeTitle(id),
    text: words.removeText,
    verb: words.remove,
    isDangerous: true,
    async act() {
      await client.deleteRecording({ params: { appid, opid: operatorId, id } });
      said(words.removed);
      await then?.();
      await readAgain();
    },
  });
}
