import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';
import { SessionEnded } from './features/session/ended.js';
import { Confirmations } from './shell/confirm.js';

/** What stands above all screens, each once. */
export default function Dialogs() {
  return (
    <>
      <Notifications />
      <Confirmations />
      <SessionEnded />
    </>
  );
}
