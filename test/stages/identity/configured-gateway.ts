import { type ConfiguredAuthOptions, configuredAuth } from '../../../adapters/auth/configured.js';
import { directorySchemes } from '../../../packages/directory/index.js';
import { adminPassword, gatewayWithPasswords, type PasswordGateway } from '../../helpers/accounts.js';
import { until } from '../../helpers/waiting.js';

export interface ConfiguredGateway extends PasswordGateway {
  /** Puts an auth configuration and restarts; the administrator is logged in again. */
  configure(config: { type: string; configuration: object; groupMapping?: object[] }): Promise<void>;
  /** A request as it is: status, body and cookie. */
  ask(path: string, options?: RequestInit): Promise<Answer>;
  /** `POST /ws/v2/login`. */
  logIn(userName: string, password: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  /** To send it back. */
  readonly cookie: string;
}

/** A living gateway that is told through the API whom to ask. */
export async function configuredGateway(
  t: Parameters<typeof gatewayWithPasswords>[0],
  options: ConfiguredAuthOptions = {},
): Promise<ConfiguredGateway> {
  const living = await gatewayWithPasswords(t, {
    auth: configuredAuth({ ...options, schemes: { ...directorySchemes(), ...options.schemes } }),
  });
  const { admin, baseUrl } = living;
  const ask: ConfiguredGateway['ask'] = async (path, request) => {
    const response = await fetch(`${baseUrl}${path}`, request);
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(await response.text()),
      cookie,
    };
  };
  return {
    ...living,
    ask,
    async configure(config) {
      const put = await ask('/ws/v2/config/auth', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: asAdmin },
        body: JSON.stringify(config),
      });
      if (put.status !== 200) throw new Error(`${put.status}: ${JSON.stringify(put.body)}`);
      const { jvmName } = await admin.getAbout();
      await ask('/ws/v2/config/restart', { method: 'POST', headers: { authorization: asAdmin } });
      await until(
        () => admin.getAbout().catch(() => undefined),
        (about) => about !== undefined && about.jvmName !== jvmName,
      );
      await admin.login({ body: { userName: 'admin', password: adminPassword } });
    },
    logIn: (userName, password, headers = {}) =>
      ask('/ws/v2/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ userName, password }),
      }),
  };
}

const asAdmin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
