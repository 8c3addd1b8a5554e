import * as z from 'zod';
import { Issue } from '../../model/applications.js';
import { AuthConfiguration } from '../../model/auth-configuration.js';
import { PasswordText, RoleName } from '../accounts/schema.js';

/** Keys whose values are sealed: `docs/decisions.md`, Secrets of a login stay inside. */
export const secretKeys = ['bindPassword', 'signatureSecret'] as const;

const Roles = z.array(RoleName).max(100, { abort: true });
const GroupName = z.string().min(1).max(512, { abort: true });

/** `docs/decisions.md`, Two spellings of the mapping: what comes back is what was sent. */
const GroupEntry = z
  .strictObject({ group: GroupName, roles: Roles.optional(), role: Roles.optional() })
  .refine(({ roles, role }) => (roles === undefined) !== (role === undefined), 'give either roles or role');
export const GroupEntries = z.array(GroupEntry).max(1000);
export type GroupEntries = z.output<typeof GroupEntries>;

export const GroupMapping = z.strictObject({ groupMapping: GroupEntries }).meta({ id: 'GroupMapping' });
export type GroupMapping = z.output<typeof GroupMapping>;

const types = AuthConfiguration.options.map(({ shape }) => shape.type.value);
const Value = z.union([z.string(), z.number(), z.boolean()]);

/** As sent and returned: keys of `configuration` in any case. Secrets may be left out, and never come back. */
export const AuthConfig = z
  .strictObject({
    type: z.enum(types),
    configuration: z.record(z.string().max(64), Value).default({}),
    groupMapping: GroupEntries.optional(),
  })
  .meta({ id: 'AuthConfig' });
export type AuthConfig = z.output<typeof AuthConfig>;

/** Settings as a PUT would send them, and somebody to try them with. */
export const AuthTest = AuthConfig.extend({
  userName: z.string().min(1).max(256),
  password: PasswordText.min(1, 'an empty password is no password'),
}).meta({ id: 'AuthTest' });
export type AuthTest = z.output<typeof AuthTest>;

export const AuthTestResult = z
  .object({
    succeeds: z.boolean().describe('whether this name and password would be let in'),
    message: z.string().describe('why, in a sentence'),
    userName: z.string().optional().describe('as the mechanism writes it'),
    groups: z.array(z.string()).optional().describe('those that the mechanism tells, where groups count'),
    roles: z.array(z.string()).optional().describe('that the user would have'),
  })
  .meta({ id: 'AuthTestResult' });
export type AuthTestResult = z.output<typeof AuthTestResult>;

export const ConfigurationIssueList = z.object({ issues: z.array(Issue) });
