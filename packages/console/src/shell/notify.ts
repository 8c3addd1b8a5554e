import { notifications } from '@mantine/notifications';
import { explained } from './words.js';

export const said = (message: string): void => {
  notifications.show({ message, withBorder: true });
};

/** Of something that was done in passing, with no place of its own to show a failure in. */
export const failed = (what: string, error: unknown): void => {
  const thrown = error instanceof Error ? error : new Error(String(error));
  notifications.show({
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
    title: `${what}: ${explained(thrown).title}`,
    message: thrown.message,
  });
};
