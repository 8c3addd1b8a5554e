/**
 * What the thing that a path or a topic names has to allow, besides what the row asks of the caller: its owner, those it is
 * shared with, and those with the permission for things of others (`docs/decisions.md`, Who may see and who may change).
 * "Those who ...": the services ask it, since they have the thing.
 */
export const resourceAccess = {
  'application read': 'may see the application',
  'application change': 'may change the application',
  'application topics': 'may listen to the application',
  'package read': 'may see the package',
  'package change': 'may change the package',
  'configuration package': 'own the configuration package, or have the permission for those of others',
  'user of the path': 'are the user of the path, or have the permission for others',
  topic: 'may listen to the topic',
} as const;

export type ResourceAccess = keyof typeof resourceAccess;
