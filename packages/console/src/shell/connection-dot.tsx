import { Tooltip } from '@mantine/core';
import { clockTime } from '../format/time.js';
import { connection } from '../gateway/connection.js';
import { usePreferences } from '../gateway/preferences.js';
import { useStore } from '../gateway/store.js';
import { words } from './words.js';

const kinds = { idle: 'ended', live: 'running', reconnecting: 'failed' } as const;
const dots = { idle: '○', live: '●', reconnecting: '✖' } as const;

/** How fresh the page is, always to be seen. */
export function ConnectionDot() {
  const { state, since, reason } = useStore(connection);
  const { zone } = usePreferences();
  const word =
    state === 'reconnecting'
      ? words.connection.reconnecting(clockTime(since, zone))
      : words.connection[state];
  return (
    <Tooltip label={reason ?? word} multiline maw={320}>
      <span data-state={kinds[state]} role="status">
        <span aria-hidden>{dots[state]}</span>{' '}
        <span className={state === 'reconnecting' ? '' : 'visually-hidden'}>{word}</span>
      </span>
    </Tooltip>
  );
}
