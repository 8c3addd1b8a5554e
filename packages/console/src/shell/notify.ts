import type { NotificationData } from '@mantine/notifications';
import { needDialogs } from './dialogs-needed.js';
import { explained, words } from './words.js';

const look = { withBorder: true, closeButtonProps: { 'aria-label': words.dismiss } };

function show(notice: NotificationData): void {
  needDialogs();
  void import('@mantine/notifications').then(({ notifications }) => notifications.show(notice));
}

export const said = (message: string): void => show({ message, ...look });

/** Of something that was done in passing, with no place of its own to show a failure in. */
export const failed = (what: string, error: unknown): void => {
  const thrown = error instanceof Error ? error : new Error(String(error));
  show({
    color: 'red',
    ...look,
    autoClose: 10_000,
    title: `${what}: ${explained(thrown).title}`,
    message: thrown.message,
  });
};
