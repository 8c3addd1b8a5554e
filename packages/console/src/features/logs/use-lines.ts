import { useCallback, useMemo, useState } from 'react';
import type { LongTextLine } from '../../forms/long-text-view.js';
import { client } from '../../gateway/client.js';
import { failed } from '../../shell/notify.js';
import { downloadOf, type LogPlace } from './access.js';
import { isAtLeast, type Level } from './levels.js';
import { linesOf, type ShownLine, textOf, wholeCharacters } from './lines.js';
import { blockBytes, type LogWindow } from './window.js';
import { words } from './words.js';

export interface Lines {
  /** What is held. */
  readonly held: readonly ShownLine[];
  /** What of it is shown. */
  readonly shown: readonly LongTextLine[];
  /** More of a line that is shown in part; what is longer than anybody reads is downloaded. */
  showMore(start: number): void;
}

export function useLines(place: LogPlace, window: LogWindow, least: Level | undefined): Lines {
  const { appid, containerId, logName } = place;
  const [longer, setLonger] = useState<ReadonlyMap<number, string>>(new Map());
  const { blocks, rotations } = window;
  const held = useMemo(() => linesOf(blocks), [blocks]);
  const shown = useMemo(() => {
    const wanted = least === undefined ? held : held.filter(({ level }) => isAtLeast(level, least));
    return wanted.map((line) => drawn(line, longer.get(line.start)));
  }, [held, least, longer]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: after a rotation other lines stand there.
  const showMore = useCallback(
    (start: number) => {
      const line = held.find((one) => one.start === start);
      if (!line) return;
      const params = { appid, containerId, logName };
      if (longer.has(start)) {
        location.assign(downloadOf(params, { start, end: line.end }));
        return;
      }
      textAt(params, line).then(
        (text) => setLonger((before) => new Map(before).set(start, text)),
        (error: unknown) => failed(logName, error),
      );
    },
    [held, longer, appid, containerId, logName, rotations],
  );
  return { held, shown, showMore };
}

function drawn({ start, end, text, isCut, level }: ShownLine, longer: string | undefined): LongTextLine {
  const mark = level?.toLowerCase();
  if (!isCut) return { start, end, text, mark };
  if (longer === undefined) return { start, end, text, mark, rest: words.showMore(end - start) };
  const isAll = end - start <= blockBytes;
  return { start, end, text: longer, mark, ...(isAll ? {} : { rest: words.keepLine(end - start) }) };
}

/** The first 64 KiB of a line. */
async function textAt(params: LogPlace, { start, end }: ShownLine): Promise<string> {
  const answer = await client.readLog({
    params,
    query: { start, end: Math.min(end, start + blockBytes) },
  });
  if (!(answer instanceof Response)) return '';
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return textOf(end - start > blockBytes ? bytes.subarray(0, wholeCharacters(bytes, blockBytes - 4)) : bytes);
}
