import { lazy, Suspense } from 'react';
import { session } from './gateway/session.js';
import { useStore } from './gateway/store.js';
import { dialogsNeeded } from './shell/dialogs-needed.js';

const Dialogs = lazy(() => import('./dialogs.js'));

/** The dialogs, as soon as there may be one. */
export function LaterDialogs() {
  const isNeeded = useStore(dialogsNeeded);
  const hasEnded = useStore(session) === 'ended';
  if (!isNeeded && !hasEnded) return null;
  return (
    <Suspense fallback={null}>
      <Dialogs />
    </Suspense>
  );
}
