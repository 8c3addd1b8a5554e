import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { SmtpConfig, SmtpInput } from './schema.js';
import type { MailService } from './service.js';

const route = routeFor<MailService>();

export const mailRoutes = {
  getSmtpConfig: route({
    method: 'GET',
    path: '/ws/v2/config/smtp',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read how mails are sent, without the password',
    refusals: [404],
    reply: json(SmtpConfig),
    handle: (mail) => mail.getSmtp(),
  }),
  putSmtpConfig: route({
    method: 'PUT',
    path: '/ws/v2/config/smtp',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say how mails are sent, and send a test mail with it',
    body: jsonBody(SmtpInput),
    refusals: [409, 501],
    reply: empty,
    handle: (mail, call) => mail.putSmtp(call, call.body),
  }),
};
