import * as rooms from './rooms.js';

/** The whole REST surface. A namespace, so that the types of each room are declared once, in the room. */
export const routes: typeof rooms = rooms;

/** What each room is about, for those who read the documents. */
export const roomsAbout: Readonly<Record<keyof typeof routes, string>> = {
  accounts: 'Users, their roles and settings, and the own profile',
  session: 'Logging in and out',
  tokens: 'API tokens for scripts',
  discovery: 'What this gateway offers, and how it is',
  metrics: 'Measurements of the gateway itself',
  applications: 'Applications: watched, shared and ended',
  launching: 'Applications: launched, and started again',
  physicalPlan: 'Operators as they are deployed, with their figures, ports and properties',
  containers: 'Containers of applications: figures, logs and stack traces',
  logicalPlan: 'Operators and streams as they were asked for, and changes of them',
  recordings: 'Recordings of tuples',
  appPackages: 'Packages of applications',
  configPackages: 'Packages of configurations',
  services: 'Programs beside the applications',
  cluster: 'The cluster that applications run on',
  topicStreams: 'Live topics, for those who have no WebSocket',
  audit: 'Who changed what',
  configuration: 'Who comes in, what an administrator should see to, and the restart',
  properties: 'Properties of the platform',
  containerRuntime: 'What runs the containers of services',
  licenses: 'Licenses that a host demands',
  system: 'The machine and the installation',
  usage: 'The usage report',
  mail: 'The mail server',
  alertTemplates: 'Conditions of alerts with gaps to fill in',
  systemAlerts: 'Alerts, their conditions and history',
  proxy: 'The resource manager, masters and services behind the gateway',
};
