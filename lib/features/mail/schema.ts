import * as z from 'zod';
import { readAddress } from '../../formats/mail-addresses.js';
import { SingleLine } from '../../model/inputs.js';

const Address = z
  .string()
  .trim()
  .max(400, { abort: true })
  .superRefine((text, context) => {
    const { problem } = readAddress(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ examples: ['ops@example.org'] });

/** Numbers come as numbers or as their digits, and go as their digits. */
const Port = z
  .union([z.number(), z.string().regex(/^\s*\d{1,5}\s*$/, 'a port from 1 to 65535')])
  .transform(Number)
  .pipe(z.int('a port from 1 to 65535').min(1).max(65_535))
  .transform(String);

const settings = {
  host: z
    .string()
    .trim()
    .max(255, { abort: true })
    .regex(
      /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/,
      'is no host name and no IP address',
    )
    .describe('name or IP address of the mail server'),
  fromAddr: Address.describe('address of the sender'),
  fromName: SingleLine(128).default('').describe('name of the sender'),
  encryptionType: z
    .enum(['tls', 'ssl', 'none'])
    .describe('tls: STARTTLS; ssl: TLS from the start; certificates are checked in both'),
  authType: z.enum(['none', 'password']),
  username: SingleLine(320).default(''),
  testAddr: Address.describe('where each PUT sends a test mail'),
};

/** What a PUT sends. */
export const SmtpInput = z
  .object({
    ...settings,
    port: Port.optional().describe('default: 587 for tls, 465 for ssl, 25 for none'),
    password: SingleLine(1024).optional().describe('left out or empty: the one that is kept'),
  })
  .superRefine(({ authType, username }, context) => {
    if (authType === 'password' && username === '') {
      context.addIssue({
        code: 'custom',
        path: ['username'],
        message: 'is needed where authType is password',
      });
    }
  })
  .meta({ id: 'SmtpInput' });
export type SmtpInput = z.output<typeof SmtpInput>;

/** The mail server, without the password. */
export const SmtpConfig = z
  .object({
    host: z.string(),
    port: z.string(),
    fromAddr: z.string(),
    fromName: z.string(),
    encryptionType: z.enum(['tls', 'ssl', 'none']),
    authType: z.enum(['password', 'none']),
    username: z.string(),
    testAddr: z.string(),
  })
  .meta({ id: 'SmtpConfig' });
export type SmtpConfig = z.output<typeof SmtpConfig>;
