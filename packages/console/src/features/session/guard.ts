import { redirect } from '@tanstack/react-router';
import { loadPreferences } from '../../gateway/preferences.js';
import { session } from '../../gateway/session.js';
import { settings } from '../../gateway/settings.js';
import { isClientError } from '../../shell/words.js';
import { hostLogin } from './return-to.js';

const tried = 'headgate-sent-to-login';

/** Before the first screen: whoever is not logged in goes to the login, and comes back to where they wanted to be. */
export async function requireSession({ location: wanted }: { location: { href: string } }): Promise<void> {
  if (session.get() === 'open' || session.get() === 'ended') return;
  try {
    await loadPreferences();
    session.set('open');
    sessionStorage.removeItem(tried);
  } catch (error) {
    if (!isClientError(error) || error.status !== 401) throw error;
    if (settings.loginUrl === undefined) throw redirect({ to: '/login', search: { returnTo: wanted.href } });
    // Once: a host whose login does not lead to a session here (a cookie that a frame is not given) would send them round for ever.
    if (sessionStorage.getItem(tried)) throw error;
    sessionStorage.setItem(tried, '1');
    location.assign(hostLogin(settings.loginUrl, location.href));
    await new Promise(() => {});
  }
}
