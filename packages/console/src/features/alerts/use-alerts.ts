import { useQuery } from '@tanstack/react-query';
import { read } from '../../gateway/queries.js';

/** Alerts are evaluated every few seconds, and no topic tells of them. */
const refetchInterval = 5000;

export const useAlerts = () => useQuery({ ...read('listAlerts', {}), refetchInterval });
export const useAlertHistory = () => useQuery({ ...read('listAlertHistory', {}), refetchInterval });

export type Alert = NonNullable<ReturnType<typeof useAlerts>['data']>['alerts'][number];
