import { isDeepStrictEqual } from 'node:util';
import type { SealedPlace, Sealing } from '../../storage/sealing.js';
import { isSecretKey } from './auth-keys.js';
import type { AuthConfig } from './schema.js';
import type { StoredAuth } from './stored.js';

/** An auth configuration and its kept form, in which each secret is sealed for its own place. */
export interface AuthSecrets {
  sealed(config: AuthConfig): Promise<StoredAuth>;
  /** Rejects when a secret can't be opened any more. */
  opened(stored: StoredAuth): Promise<AuthConfig>;
  /** With the kept secrets that were left out, unless they were another mechanism's, or go with something that is gone. */
  completed(config: AuthConfig, before: StoredAuth | undefined): Promise<AuthConfig>;
  /** A secret that can't be opened any more is not the one that was sent. */
  saysTheSame(sent: AuthConfig, before: StoredAuth | undefined): Promise<boolean>;
}

export const nothingPut: AuthConfig = { type: 'password', configuration: {} };

export function createAuthSecrets(sealing: Sealing, place: Omit<SealedPlace, 'member'>): AuthSecrets {
  const placeOf = (member: string): SealedPlace => ({ ...place, member });

  async function opened({ sent, sealed }: StoredAuth): Promise<AuthConfig> {
    const configuration = { ...sent.configuration };
    for (const [name, text] of Object.entries(sealed)) {
      configuration[name] = await sealing.unseal(placeOf(name), text);
    }
    return { ...sent, configuration };
  }

  return {
    opened,

    async sealed(config) {
      const sealed: Record<string, string> = {};
      for (const [name, value] of Object.entries(config.configuration)) {
        if (isSecretKey(name)) sealed[name] = await sealing.seal(placeOf(name), String(value));
      }
      return { sent: withoutSecrets(config), sealed };
    },

    async completed(config, before) {
      const left: Record<string, string> = {};
      for (const [name, sealed] of Object.entries(before?.sent.type === config.type ? before.sealed : {})) {
        if (isStillOfUse(name, config)) left[name] = await sealing.unseal(placeOf(name), sealed);
      }
      const sent = Object.entries(config.configuration).filter(
        ([name, value]) => !(isSecretKey(name) && value === ''),
      );
      return { ...config, configuration: { ...left, ...Object.fromEntries(sent) } };
    },

    async saysTheSame(sent, before) {
      const now = before ? await opened(before).catch(() => undefined) : nothingPut;
      return isDeepStrictEqual(sent, now);
    },
  };
}

/** Whether the kept secret stays: it was not sent anew, not even as an empty one, and who proves themselves by it is named. */
function isStillOfUse(name: string, { configuration }: AuthConfig): boolean {
  const sent = new Set(Object.keys(configuration).map((key) => key.toLowerCase()));
  const key = name.toLowerCase();
  return !sent.has(key) && (key !== 'bindpassword' || sent.has('binddn'));
}

const withoutSecrets = (config: AuthConfig): AuthConfig => ({
  ...config,
  configuration: Object.fromEntries(
    Object.entries(config.configuration).filter(([name]) => !isSecretKey(name)),
  ),
});
