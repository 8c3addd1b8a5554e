/** `application_{epoch milliseconds of the engine's start}_{sequence}`, as the cluster framework writes them. */
export const applicationId = (engineStart: number, sequence: number): string =>
  `application_${engineStart}_${String(sequence).padStart(4, '0')}`;

const numbersOf = (appId: string): string => appId.slice('application_'.length);

export const attemptId = (appId: string): string => `appattempt_${numbersOf(appId)}_000001`;

/** Number 1 is the application master's: the host process. */
export const containerId = (appId: string, number: number): string =>
  `container_${numbersOf(appId)}_01_${String(number).padStart(6, '0')}`;

export const isMasterId = (containerId: string): boolean => /^container_[0-9_]+_000001$/.test(containerId);
