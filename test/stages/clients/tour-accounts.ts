import type { Client } from '../../../lib/client.js';
import { adminPassword } from '../../helpers/accounts.js';

/** Who may come in, and what they may. Everything is done by the administrator, who is logged in afterwards. */
export async function tourAccounts(client: Client): Promise<void> {
  const ada = { user: 'ada' };
  await client.login({ body: { userName: 'admin', password: adminPassword } });
  await client.getProfile();
  const { sessions } = await client.listOwnSessions();
  await client.endSession({ params: { id: sessions[0]?.id ?? '' } });
  await client.login({ body: { userName: 'admin', password: adminPassword } });
  await client.putRole({ params: { role: 'watcher' }, body: { permissions: ['VIEW_LOGS'] } });
  await client.getRole({ params: { role: 'watcher' } });
  await client.listRoles();
  await client.listPermissions();
  await client.createUser({ params: ada, body: { password: 'turns the wheel', roles: ['watcher'] } });
  await client.changeUser({ params: ada, body: { roles: ['operator', 'watcher'] } });
  await client.getUser({ params: ada });
  await client.listUsers();
  const layout = { user: 'admin', key: 'layout' };
  await client.putSetting({ params: layout, body: { value: '{"theme":"dark"}' } });
  await client.getSetting({ params: layout });
  await client.listSettings({ params: { user: 'admin' } });
  await client.listOwnSettings();
  const { id } = await client.createToken({ body: { name: 'nightly report', permissions: ['VIEW_LOGS'] } });
  await client.listOwnTokens();
  await client.listTokens({ query: { user: 'admin' } });
  await client.deleteToken({ params: { id } });
  await client.deleteTokensOfUser({ params: ada });
  await client.deleteUser({ params: ada });
  await client.deleteRole({ params: { role: 'watcher' } });
  await client.restoreDefaultRoles();
  await client.getAuthConfig();
  await client.testAuthConfig({
    body: { type: 'password', userName: 'admin', password: adminPassword },
  });
  const groupMapping = [{ group: 'operations', roles: ['operator'] }];
  await client.putGroupMapping({ body: { groupMapping } });
  await client.getGroupMapping();
  await client.putAuthConfig({ body: { type: 'password', groupMapping } });
}
