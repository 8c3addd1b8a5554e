// The first entry point, names only: what hosts are written with. Drivers have one of their own, `driver-kit.ts`; nothing else of
// `lib` is public.

export type { PasswordOptions } from './features/accounts/password-rules.js';
export type { PackageOptions } from './features/app-packages/options.js';
export type { AuditOptions } from './features/audit/options.js';
export type { AuditRecord } from './features/audit/schema.js';
export type { HostLaunch } from './features/launching/schema.js';
export type { LicensingOptions } from './features/licenses/options.js';
export { createLicenseReader, keyId, type LicenseTrust, signLicense } from './features/licenses/signature.js';
export { LicenseTerms, type LicenseTermsInput } from './features/licenses/terms.js';
export type { MailOptions } from './features/mail/options.js';
export type { OutboxLimits } from './features/mail/outbox.js';
export type { ProxyOptions } from './features/proxy/options.js';
export type { TunnelLimits } from './features/proxy/tunnels.js';
export type { ServiceLimits, ServiceOptions } from './features/services/options.js';
export type { AlertOptions } from './features/system-alerts/options.js';
export type { ForwardLimits } from './forwarding/exchange.js';
export { createGateway, type Gateway } from './gateway.js';
export type { Principal } from './http/principal.js';
export type { GatewayRequest, GatewayResponse } from './http/request.js';
export { type LicenseFeature, licenseFeatures } from './http/route.js';
export type { TrustedProxies, TrustProxy } from './http/trusted-proxies.js';
export type {
  AuthContext,
  Authenticator,
  CallerRequest,
  Identity,
  LoginRequest,
  NegotiatedIdentity,
  OpenedSession,
  SchemeInUse,
  SessionEntry,
  Sessions,
} from './interfaces/auth.js';
export type {
  AskedUser,
  HostRules,
  OperationQuestion,
  TopicAction,
  TopicQuestion,
} from './interfaces/authorize.js';
export type { Clock } from './interfaces/clock.js';
export type {
  ApplicationReport,
  ClusterAbout,
  ClusterContext,
  ClusterDriver,
  ClusterExecutable,
  ClusterFileCheck,
  LaunchCredentials,
  PermissionStore,
  ResourceManager,
  ResourceManagerFacet,
} from './interfaces/cluster.js';
export type { ConsolePages, PageAnswer, PageRequest } from './interfaces/console-pages.js';
export type {
  ContainerReport,
  ContainerRuntime,
  ContainerSpec,
  RuntimeContext,
  RuntimeHost,
  RuntimeInfo,
  SpecProblem,
} from './interfaces/container-runtime.js';
export type { Lifecycle } from './interfaces/lifecycle.js';
export type { Logger } from './interfaces/logger.js';
export type {
  Credentials,
  LoginScheme,
  LoginSchemeContext,
  LoginSchemeFactory,
  LoginSchemes,
  Negotiated,
  SchemeCall,
  SchemeSessions,
  SchemeUser,
} from './interfaces/login-scheme.js';
export type { Mail, Mailer, MailServer, RefusedRecipient } from './interfaces/mailer.js';
export type { Secrets } from './interfaces/secrets.js';
export type {
  Blob,
  BlobInfo,
  BlobStore,
  BlobWriteOptions,
  DocumentStore,
  DocumentWrite,
  Storage,
  StorageProblem,
  StoredDocument,
} from './interfaces/storage.js';
export {
  BadRequest,
  Conflict,
  Forbidden,
  GatewayError,
  type InputIssue,
  InvalidInput,
  MailNotSent,
  MissingPackage,
  NotFound,
  NotReady,
  TimedOut,
  TooLarge,
  TooManyRequests,
  Unreachable,
} from './model/errors.js';
export { allPermissions, type Permission, permissionCatalogue } from './model/permissions.js';
export type { BadRequestReason, ConflictReason, ErrorCode } from './model/reasons.js';
export type { Timeouts } from './model/timeouts.js';
export type { GatewayOptions } from './options.js';
export type { HubLimits } from './pubsub/limits.js';
export type { HubBatch, HubConnection, HubSocket } from './pubsub/socket.js';
export type { TrustedPublisher } from './pubsub/trusted-publishers.js';
export type { Admitted, Refused, UpgradeHandler } from './pubsub/upgrade-handler.js';
export type { UpgradeRequest } from './pubsub/upgrade-request.js';
export { aesSecrets } from './storage/sealing.js';
export { version } from './version.js';
