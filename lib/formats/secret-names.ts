/** Whether a setting of this name is one to keep to oneself. */
export const isSecretName = (name: string): boolean => /PASSWORD|SECRET|TOKEN|CREDENTIAL/i.test(name);

/** Drivers mask secrets; this is the second lock: `docs/decisions.md`, Secrets are masked twice. */
export const withoutSecrets = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? null : value]),
  );

/** What is shown of a secret; a client that sends it back leaves the secret as it is. */
export const mask = '********';
