import { accountRoutes } from './features/accounts/routes.js';
import { alertTemplateRoutes } from './features/alert-templates/routes.js';
import { packageRoutes } from './features/app-packages/routes.js';
import { applicationRoutes } from './features/applications/routes.js';
import { auditRoutes } from './features/audit/routes.js';
import { clusterRoutes } from './features/cluster/routes.js';
import { configPackageRoutes } from './features/config-packages/routes.js';
import { configurationRoutes } from './features/configuration/routes.js';
import { containerRuntimeRoutes } from './features/container-runtime/routes.js';
import { containerRoutes } from './features/containers/routes.js';
import { discoveryRoutes } from './features/discovery/routes.js';
import { launchingRoutes } from './features/launching/routes.js';
import { licenseRoutes } from './features/licenses/routes.js';
import { logicalPlanRoutes } from './features/logical-plan/routes.js';
import { mailRoutes } from './features/mail/routes.js';
import { metricsRoutes } from './features/metrics/routes.js';
import { physicalPlanRoutes } from './features/physical-plan/routes.js';
import { propertyRoutes } from './features/properties/routes.js';
import { proxyRoutes } from './features/proxy/routes.js';
import { recordingRoutes } from './features/recordings/routes.js';
import { serviceRoutes } from './features/services/routes.js';
import { sessionRoutes } from './features/session/routes.js';
import { systemRoutes } from './features/system/routes.js';
import { alertRoutes } from './features/system-alerts/routes.js';
import { tokenRoutes } from './features/tokens/routes.js';
import { usageRoutes } from './features/usage/routes.js';

/** The whole REST surface: one line a room. Each key is also the name of the room's service in `gateway.ts`. */
export const routes = {
  accounts: accountRoutes,
  session: sessionRoutes,
  tokens: tokenRoutes,
  discovery: discoveryRoutes,
  metrics: metricsRoutes,
  applications: applicationRoutes,
  launching: launchingRoutes,
  physicalPlan: physicalPlanRoutes,
  containers: containerRoutes,
  logicalPlan: logicalPlanRoutes,
  recordings: recordingRoutes,
  appPackages: packageRoutes,
  configPackages: configPackageRoutes,
  services: serviceRoutes,
  cluster: clusterRoutes,
  audit: auditRoutes,
  configuration: configurationRoutes,
  properties: propertyRoutes,
  containerRuntime: containerRuntimeRoutes,
  licenses: licenseRoutes,
  system: systemRoutes,
  usage: usageRoutes,
  mail: mailRoutes,
  alertTemplates: alertTemplateRoutes,
  systemAlerts: alertRoutes,
  proxy: proxyRoutes,
};

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
