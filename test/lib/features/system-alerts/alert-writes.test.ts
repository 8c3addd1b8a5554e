import t from 'tap';
import { smtpMailer } from '../../../../adapters/mail/smtp.js';
import type { Storage } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import {
  alertInput,
  hot,
  isAboutAlerts,
  isActive,
  smtpSettings,
  untilAlert,
} from '../../../helpers/alerts.js';
import { testFolder } from '../../../helpers/folder.js';
import { newGateway } from '../../../helpers/gateway.js';
import { mailServer } from '../../../helpers/mail-server.js';
import { certificate } from '../../../helpers/tls-front.js';
import { until } from '../../../helpers/waiting.js';

// What durable alerts write, from a condition that turns true until the mail server has the mail.

function noting(storage: Storage): { readonly storage: Storage; readonly batches: string[][] } {
  const { documents } = storage;
  const batches: string[][] = [];
  return {
    batches,
    storage: {
      ...storage,
      documents: {
        ...documents,
        write(batch) {
          if (isAboutAlerts(batch)) batches.push(batch.map(({ op, collection }) => `${op} ${collection}`));
          return documents.write(batch);
        },
      },
    },
  };
}

t.test(
  'an activation and its end are two writes each: with their mails, and when those are sent',
  async (t) => {
    const { storage, batches } = noting(await filesystemStorage({ directory: testFolder(t) }));
    const server = await mailServer(t);
    const { client } = await newGateway(t, {
      storage,
      mailer: smtpMailer({ ca: certificate }),
      alerts: { everyMillis: 100, durable: true },
    });
    await client.putSmtpConfig({ body: smtpSettings(server.port) });
    await client.putAlert({ params: { name: 'room' }, body: alertInput(hot('test.room')) });
    t.strictSame(batches, []);
    const untilWritten = (count: number) =>
      until(
        async () => batches.length,
        (length) => length >= count,
      );
    const say = (temperature: number) => ({ topic: 'test.room', temperature });

    await untilAlert({ client }, 'room', say(30), ({ alertStatus }) => alertStatus.emailSent);
    await untilWritten(2);
    await untilAlert({ client }, 'room', say(10), (alert) => !isActive(alert));
    await untilWritten(4);
    // The next change says that nothing else was written before it.
    await client.putAlert({ params: { name: 'room' }, body: alertInput('true', { disabled: true }) });
    t.strictSame(batches.slice(0, 5), [
      ['put alert-status', 'put mail-outbox'],
      ['put alert-status', 'delete mail-outbox'],
      ['put alert-status', 'put alert-history', 'put mail-outbox'],
      ['put alert-status', 'put alert-history', 'delete mail-outbox'],
      ['put alert-status', 'put mail-outbox'],
    ]);
  },
);
