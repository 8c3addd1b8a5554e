import type { OperationId } from '../../gateway/capabilities.js';

/** A screen of the administration: shown to whom one of the operations is allowed. */
interface AdministrationPage {
  readonly label: string;
  readonly to: string;
  readonly hint: string;
  readonly anyOf: readonly OperationId[];
}

export const pages: readonly AdministrationPage[] = [
  {
    label: 'Users',
    to: '/admin/users',
    hint: 'Who has an account here, with which roles; passwords and API tokens',
    anyOf: ['listUsers'],
  },
  {
    label: 'Roles',
    to: '/admin/roles',
    hint: 'What each role may do; which groups of a directory have which roles',
    anyOf: ['putRole', 'getGroupMapping'],
  },
  {
    label: 'Authentication',
    to: '/admin/auth',
    hint: 'How people log in: passwords, a directory, Kerberos, the system',
    anyOf: ['getAuthConfig'],
  },
  {
    label: 'Mail',
    to: '/admin/mail',
    hint: 'The mail server that alerts are sent through',
    anyOf: ['getSmtpConfig'],
  },
  {
    label: 'Licenses',
    to: '/admin/licenses',
    hint: 'What the license allows, and what is used of it',
    anyOf: ['listLicenses'],
  },
  {
    label: 'Usage',
    to: '/admin/usage',
    hint: 'How much the platform was used, and whether that is measured',
    anyOf: ['getUsageReport'],
  },
  {
    label: 'Properties',
    to: '/admin/properties',
    hint: 'Settings of the platform, where each comes from and when it counts',
    anyOf: ['listProperties'],
  },
  {
    label: 'Issues',
    to: '/admin/issues',
    hint: 'What an administrator should see to',
    anyOf: ['listConfigIssues'],
  },
  {
    label: 'Audit log',
    to: '/admin/audit',
    hint: 'Who has changed what, and what was refused',
    anyOf: ['listAudit'],
  },
];
