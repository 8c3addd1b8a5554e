// The public door: names only. Nothing else of `lib` is public.

export { build } from './build.js';
export { Permissions } from './core/acl.js';
export { inLine } from './core/at-once.js';
export { everybodysIdentity } from './core/callers.js';
export { masterFacets } from './core/capabilities.js';
export { type Collection, collection, type Kept } from './core/collection.js';
export { commandWords } from './core/command-words.js';
export type { ForwardLimits } from './core/forwarding/exchange.js';
export { requireLimits } from './core/limits.js';
export { named } from './core/named.js';
export type { Patience } from './core/patience.js';
export { compilePattern } from './core/pattern.js';
export { decoded } from './core/percent.js';
export { allPermissions, type Permission, permissionCatalogue } from './core/permissions.js';
export type { Principal } from './core/principal.js';
export type { GatewayRequest, GatewayResponse } from './core/request.js';
export { type LicenseFeature, licenseFeatures } from './core/route.js';
export { aesSecrets } from './core/sealing.js';
export { isSecretName } from './core/secrets.js';
export { openSource, type Source } from './core/source.js';
export { wording } from './core/validate.js';
export { readAttributes } from './features/app-packages/json-application/attributes.js';
export { checkDefinition } from './features/app-packages/json-application/check.js';
export { cycleOf } from './features/app-packages/json-application/cycle.js';
export type { DefinitionKnowledge } from './features/app-packages/json-application/knowledge.js';
export { createProblems, type Problems } from './features/app-packages/json-application/problems.js';
export { streamName } from './features/app-packages/json-application/streams.js';
export { withProperties } from './features/app-packages/launch/apply.js';
export type { PackageOptions } from './features/app-packages/service.js';
export {
  ApplicationState,
  type AppPackageSource,
  AppStats,
  Event,
  FinalStatus,
  type HostLaunch,
  type LoggerMatch,
  type LoggerSetting,
} from './features/applications/schema.js';
export type { AuditRecord } from './features/audit/schema.js';
export type { AuditOptions } from './features/audit/service.js';
export { type BuildInfo, ClusterMetrics, Queue } from './features/cluster/schema.js';
export type { AuthConfiguration } from './features/configuration/schema.js';
export {
  Container,
  ContainerStats,
  ContainerStatsMeta,
  type GcEvent,
  LogInfo,
  ThreadDump,
} from './features/containers/schema.js';
export type { LicensingOptions } from './features/licenses/options.js';
export { createLicenseReader, keyId, type LicenseTrust, signLicense } from './features/licenses/signature.js';
export { LicenseTerms, type LicenseTermsInput } from './features/licenses/terms.js';
export {
  ApplicationDefinition,
  ChangeRequest,
  JsonApplication,
  LogicalOperator,
  LogicalPlan,
  OperatorClassDesc,
  OperatorStats,
  OperatorStatsMeta,
  type PropertyDescription,
} from './features/logical-plan/schema.js';
export type { MailOptions } from './features/mail/options.js';
export type { OutboxLimits } from './features/mail/outbox.js';
export { DeployHistory, PhysicalPlan, type PhysOperator } from './features/physical-plan/schema.js';
export type { ProxyOptions } from './features/proxy/service.js';
export type { TunnelLimits } from './features/proxy/tunnels.js';
export { Recording, TupleBatch } from './features/recordings/schema.js';
export type { ServiceLimits, ServiceOptions } from './features/services/options.js';
export type { AlertOptions } from './features/system-alerts/options.js';
export { createGateway, type Gateway } from './gateway.js';
export type * from './interfaces/alerts.js';
export type * from './interfaces/auth.js';
export type * from './interfaces/authorize.js';
export type * from './interfaces/cluster.js';
export type * from './interfaces/container-runtime.js';
export type * from './interfaces/lifecycle.js';
export type * from './interfaces/logger.js';
export type * from './interfaces/login-scheme.js';
export type * from './interfaces/mailer.js';
export type * from './interfaces/master.js';
export type * from './interfaces/package.js';
export type * from './interfaces/secrets.js';
export type { GatewayOptions } from './options.js';
export type { Admitted, PubSubDoor, Refused, UpgradeRequest } from './pubsub/door.js';
export type { HubLimits } from './pubsub/limits.js';
export type { HubConnection, HubSocket } from './pubsub/socket.js';
export type { TrustedPublisher } from './pubsub/trust.js';
export * from './storage.js';
export { version } from './version.js';
