// What leads to masters, applications and logs for whoever sees them here, also when nobody reaches the cluster but the
// gateway. Relative to where that is mounted, which differs from client to client.

/** Where an application can be followed: at its master, while there is one. */
export const trackingUrl = (appId: string, hasMaster: boolean): string =>
  hasMaster ? masterUrl(appId) : `ws/v2/applications/${appId}`;

/** The master of an application, as long as it runs. */
export const masterUrl = (appId: string): string => `proxy/master/v2/${appId}/info`;

export const logsUrl = (appId: string, containerId: string): string =>
  `ws/v2/applications/${appId}/physicalPlan/containers/${containerId}/logs`;
