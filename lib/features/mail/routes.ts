import { jsonBody } from '../../core/body.js';
import { empty, json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { SmtpConfig, SmtpInput } from './schema.js';
import type { MailService } from './service.js';

const route = routeFor<MailService>();

/** Spec 4.4, `smtp`. */
export const mailRoutes = {
  getSmtpConfig: route({
    method: 'GET',
    path: '/ws/v2/config/smtp',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read how mails are sent, without the password',
    reply: json(SmtpConfig),
    handle: (mail) => mail.getSmtp(),
  }),
  putSmtpConfig: route({
    method: 'PUT',
    path: '/ws/v2/config/smtp',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say how mails are sent, and send a test mail with it',
    body: jsonBody(SmtpInput),
    reply: empty,
    handle: (mail, call) => mail.putSmtp(call, call.body),
  }),
};
