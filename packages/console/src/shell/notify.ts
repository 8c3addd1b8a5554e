import { notifications } from '@mantine/notifications';
import { explained, words } from './words.js';

const look = { withBorder: true, closeButtonProps: { 'aria-label': words.dismiss } };

export const said = (message: string): void => {
  notifications.show({ message, ...look });
};

/** Of something that was done in passing, with no place of its own to show a failure in. */
export const failed = (what: string, error: unknown): void => {
  const thrown = error instanceof Error ? error : new Error(String(error));
  notifications.show({
    color: 'red',
    ...look,
    autoClose: 10_000,
    title: `${what}: ${explained(thrown).title}`,
    message: thrown.message,
  });
};
