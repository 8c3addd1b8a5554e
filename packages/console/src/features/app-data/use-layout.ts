import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { queryClient, read } from '../../gateway/queries.js';
import { failed } from '../../shell/notify.js';
import { type Layout, readLayout, settingOf, usualLayout } from './layout.js';
import { words } from './words.js';

interface KeptLayout {
  readonly layout: Layout;
  readonly isUnreadable: boolean;
  readonly isLoading: boolean;
  /** Shown at once, and kept with the settings of the user. */
  readonly change: (next: Layout) => void;
}

export function useLayout(appName: string, sources: readonly string[]): KeptLayout {
  const settings = useQuery(read('listOwnSettings', {}));
  const [changed, setChanged] = useState<Layout>();
  const kept = settings.data?.[settingOf(appName)];
  const readable = kept === undefined ? undefined : readLayout(kept);
  const layout = changed ?? readable ?? usualLayout(sources);
  const change = (next: Layout) => {
    setChanged(next);
    void keep(appName, next).catch((error: unknown) => failed(words.notKept, error));
  };
  return {
    layout,
    isUnreadable: changed === undefined && kept !== undefined && readable === undefined,
    isLoading: settings.isPending,
    change,
  };
}

/** One after the other: the last change is the one that stays. */
let last: Promise<unknown> = Promise.resolve();

function keep(appName: string, layout: Layout): Promise<unknown> {
  const kept = last.then(async () => {
    const { userName } = await queryClient.fetchQuery({ ...read('getProfile', {}), staleTime: 60_000 });
    await client.putSetting({ params: { user: userName, key: settingOf(appName) }, body: { value: layout } });
  });
  last = kept.catch(() => undefined);
  return kept;
}
