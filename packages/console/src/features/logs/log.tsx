import { Stack } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { bytes } from '../../format/bytes.js';
import { usePreferences } from '../../gateway/preferences.js';
import { Failure } from '../../shell/failure.js';
import { Name } from '../../shell/name.js';
import { Part } from '../../shell/part.js';
import { accessTo, downloadOf } from './access.js';
import { GoTo } from './go-to.js';
import { SearchBar } from './search-bar.js';
import { seekTime } from './seek-time.js';
import { readStamp, stampIn } from './stamps.js';
import { Toolbar } from './toolbar.js';
import { useHits } from './use-hits.js';
import { useLines } from './use-lines.js';
import { useLog } from './use-log.js';
import { usePlace, useViewSearch } from './use-place.js';
import { offsetOf } from './view-search.js';
import { Viewer } from './viewer.js';
import { words } from './words.js';

export default function Log() {
  const { id, cid, log } = useParams({ from: '/framed/apps/$id/containers/$cid/logs/$log' });
  // Another log is another reader, another search, another place.
  return <Opened key={`${cid} ${log}`} appid={id} containerId={cid} logName={log} />;
}

function Opened(log: { readonly appid: string; readonly containerId: string; readonly logName: string }) {
  const { appid, containerId, logName } = log;
  const [{ at, q, level }, change] = useViewSearch();
  const { reader, window, failure } = useLog(log, offsetOf(at));
  const place = usePlace(reader, at, change);
  const lines = useLines(log, window, level);
  const hits = useHits(log, { q, place, length: window.length, change });
  const { logWrap } = usePreferences();

  const goTo = useCallback(
    async (text: string): Promise<string | undefined> => {
      const offset =
        offsetOf(text.trim()) ??
        (await timeIn(
          log,
          text,
          lines.held.map(({ text }) => text),
        ));
      if (typeof offset === 'string') return offset;
      place.go(offset);
      return undefined;
    },
    [log, place, lines.held],
  );

  return (
    <Part
      title={words.title(logName, containerId)}
      heading={<Name>{logName}</Name>}
      beside={
        <>
          <span className="figure">{bytes(window.length)}</span>
          <Link
            to="/apps/$id/containers/$cid"
            params={{ id: appid, cid: containerId }}
            aria-label={containerId}
          >
            <Name tail={12}>{containerId}</Name>
          </Link>
        </>
      }
    >
      <Stack gap="sm">
        <Toolbar
          isFollowing={window.isFollowing}
          level={level}
          download={downloadOf(log)}
          onFollow={(isFollowing) => (isFollowing ? place.toEnd() : reader.lookBack())}
          onLevel={(next) => change({ level: next })}
        >
          <GoTo onGo={goTo} />
        </Toolbar>
        <SearchBar q={q ?? ''} searching={hits.searching} onSearch={hits.begin} onWalk={hits.walk} />
        {failure && <Failure error={failure} what={logName} retry={() => reader.show(place.top ?? 'end')} />}
        <Viewer
          label={words.title(logName, containerId)}
          window={window}
          reader={reader}
          place={place}
          lines={lines}
          marks={hits.marks}
          hits={hits.searching.search?.hits ?? []}
          isWrapping={logWrap}
          onWalk={hits.walk}
          onAllLevels={() => change({ level: undefined })}
        />
      </Stack>
    </Part>
  );
}

/** Where the log is at a time, or what is wrong with it. A time without a day is one of the day that is looked at. */
async function timeIn(
  log: Parameters<typeof accessTo>[0],
  text: string,
  seen: readonly string[],
): Promise<number | string> {
  const near = seen.map(stampIn).findLast((stamp) => stamp !== undefined);
  const wanted = readStamp(text, near);
  if (wanted === undefined) return words.noSuchPlace;
  const access = accessTo(log);
  const { signal } = new AbortController();
  try {
    const length = await access.length(signal);
    const found = await seekTime((start, end) => access.read(start, end, signal), length, wanted);
    return found ?? words.noTimes;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
