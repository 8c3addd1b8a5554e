import type { ClientError } from 'headgate/client';

const plurals = new Intl.PluralRules('en');
export const plural = (count: number, one: string, other: string): string =>
  `${count} ${plurals.select(count) === 'one' ? one : other}`;

export const words = {
  skip: 'Skip to the content',
  menu: 'Menu',
  search: 'Search',
  tryAgain: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  logOut: 'Log out',
  profile: 'Profile',
  loading: 'Loading…',
  pageFailed: 'This part of the page has failed',
  pageMissing: 'There is no such page',
  pageMissingHint: 'The address may be mistyped, or what it named may be gone.',
  toApplications: 'To the applications',
  requestId: (id: string) => `Request ${id}`,
  connection: {
    idle: 'Nothing on this page is live',
    live: 'Live',
    reconnecting: (time: string) => `Offline since ${time}, reconnecting…`,
  },
  sessionEnded: 'Your session has ended',
  sessionEndedHint: 'Log in again to go on. What you have typed is still here.',
  typeName: (name: string) => `Type ${name} to confirm`,
  effects: 'This will affect',
  range: {
    title: 'Range of time',
    '15m': '15 min',
    '1h': '1 h',
    '6h': '6 h',
    '1d': '1 d',
    between: (from: string, to: string) => `${from} – ${to}`,
    back: 'Back to live',
  },
};

const changedMeanwhile = {
  title: 'Somebody has changed it meanwhile',
  hint: 'Look at what it is now, then apply your change again.',
};

/** What each kind of failure means, and what to do. */
export function explained(error: Error): { readonly title: string; readonly hint?: string } {
  const { status = 0, code = '' } = isClientError(error) ? error : {};
  if (code === 'UNREACHABLE')
    return { title: 'The gateway does not answer', hint: 'This page tries again by itself.' };
  switch (status) {
    case 401:
      return { title: 'Nobody is logged in' };
    case 403:
      return {
        title: 'You may not see or do this',
        hint: 'An administrator can grant it under Administration, Roles.',
      };
    case 404:
      return { title: 'Not there', hint: 'It is gone, or it is not visible to you.' };
    case 409:
      return code === 'CHANGED_MEANWHILE' ? changedMeanwhile : { title: 'Not as things are now' };
    case 412:
      return changedMeanwhile;
    case 413:
      return { title: 'Too large' };
    case 429:
      return { title: 'Too much at once', hint: 'Wait a moment, then try again.' };
    case 501:
      return { title: 'This cluster can’t do that' };
    case 502:
    case 503:
    case 504:
      if (code === 'NOT_READY') return { title: 'Not there yet', hint: 'Try again in a moment.' };
      return {
        title: 'What is behind the gateway does not answer',
        hint: 'The rest of the console goes on.',
      };
    default:
      return { title: status >= 500 ? 'The gateway has failed' : 'That did not work' };
  }
}

export const isClientError = (error: unknown): error is ClientError =>
  error instanceof Error && error.name === 'ClientError';
