/** `application_1410901177871_0001`: the start of its cluster, and a number. */
export const isApplicationId = (id: string): boolean => /^application_\d{1,19}_\d{1,10}$/.test(id);

export const isContainerId = (id: string): boolean => /^container_[0-9a-z_]{1,100}$/.test(id);

/** `container_e17_1410901177871_0001_02_000001`: the epoch is there after a restart of the manager that kept its work. */
const container = /container_(?:e\d{1,10}_)?(\d{1,19})_(\d{1,10})_(\d{1,6})_(\d{1,10})/;

/** The attempt that a container belongs to; `''` for what is no id of one. */
export function attemptOf(containerId: string): string {
  const [, cluster, application, attempt] = container.exec(containerId) ?? [];
  if (cluster === undefined || application === undefined) return '';
  return `appattempt_${cluster}_${application}_${(attempt ?? '').padStart(6, '0')}`;
}

/** The first container of an attempt runs its master. */
export const isMasterContainer = (containerId: string): boolean =>
  Number(container.exec(containerId)?.[4] ?? 0) === 1;
