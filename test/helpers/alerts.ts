import type { Client } from '../../lib/client.js';
import type { DocumentWrite } from '../../lib/index.js';
import { until } from './waiting.js';

type Alert = Awaited<ReturnType<Client['getAlert']>>;

export const isActive = ({ alertStatus }: Pick<Alert, 'alertStatus'>): boolean => alertStatus.isInAlert;

/** True while the topic says more than 20 degrees; it throws while the topic has said nothing. */
export const hot = (topic: string) => `_topic[${JSON.stringify(topic)}].temperature > 20`;

export const alertInput = (condition: string, more: object = {}) => ({
  condition,
  email: 'ops@example.org',
  description: 'Too warm',
  timeThresholdMillis: 0,
  ...more,
});

export const smtpSettings = (
  port: number,
  login?: { readonly userName: string; readonly password: string },
) => ({
  host: '127.0.0.1',
  port: String(port),
  fromAddr: 'gate@example.org',
  fromName: 'The gate',
  encryptionType: 'tls' as const,
  testAddr: 'admin@example.org',
  ...(login
    ? { authType: 'password' as const, username: login.userName, password: login.password }
    : { authType: 'none' as const }),
});

export interface Said {
  readonly topic: string;
  readonly temperature: unknown;
}

/** Says it again and again until the alert is as it should be: free topics have no memory. */
export const untilAlert = (
  { client, publisher = client }: { readonly client: Client; readonly publisher?: Client },
  name: string,
  { topic, temperature }: Said,
  fits: (alert: Alert) => boolean,
): Promise<Alert> =>
  until(() => {
    publisher.publish(topic, { temperature });
    return client.getAlert({ params: { name } });
  }, fits);

/** Whether a write is about the state of alerts, their history or their mails. */
export const isAboutAlerts = (batch: readonly DocumentWrite[]): boolean =>
  batch.some(({ collection }) => ['alert-status', 'alert-history', 'mail-outbox'].includes(collection));
