/** Whether a setting of this name is one to keep to oneself. */
export const isSecretName = (name: string): boolean => /PASSWORD|SECRET|TOKEN|CREDENTIAL/i.test(name);

/** Drivers mask secrets; this is the second lock (`resolved-gaps.md` G4). */
export const withoutSecrets = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? null : value]),
  );
