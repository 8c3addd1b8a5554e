import { useEffect, useMemo, useRef } from 'react';
import { useStore } from '../../gateway/store.js';
import { accessTo, type LogPlace } from './access.js';
import { createLogReader, type LogReader } from './reader.js';
import type { LogWindow } from './window.js';

const pollMillis = 1000;
const quietMillis = 5000;
/** As long as nothing is new for this many questions, one is asked each second. */
const patience = 10;

export interface Log {
  readonly reader: LogReader;
  readonly window: LogWindow;
  readonly failure: Error | undefined;
}

/** A log, opened where the address says, and asked for news while somebody sees it. */
export function useLog({ appid, containerId, logName }: LogPlace, at: number | undefined): Log {
  const reader = useMemo(
    () => createLogReader(accessTo({ appid, containerId, logName })),
    [appid, containerId, logName],
  );
  const first = useRef(at);
  first.current = at;
  useEffect(() => {
    void reader.show(first.current ?? 'end');
    const stop = polling(reader);
    return () => {
      stop();
      reader.close();
    };
  }, [reader]);
  return { reader, window: useStore(reader.window), failure: useStore(reader.failure) };
}

function polling(reader: LogReader): () => void {
  let quiet = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const next = () => {
    clearTimeout(timer);
    if (!isStopped && !document.hidden)
      timer = setTimeout(() => void ask(), quiet < patience ? pollMillis : quietMillis);
  };
  const ask = async () => {
    quiet = (await reader.poll()) ? 0 : quiet + 1;
    next();
  };
  const onVisible = () => {
    quiet = 0;
    next();
  };
  document.addEventListener('visibilitychange', onVisible);
  next();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
