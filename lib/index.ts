// The public door: names only. Nothing else of `lib` is public.
export type { Permissions } from './core/acl.js';
export * from './core/errors.js';
export { allPermissions, type Permission, permissionCatalogue } from './core/permissions.js';
export type { Principal } from './core/principal.js';
export type { GatewayRequest, GatewayResponse } from './core/request.js';
export { createGateway, type Gateway } from './gateway.js';
export type * from './interfaces/auth.js';
export type * from './interfaces/clock.js';
export type * from './interfaces/cluster.js';
export type * from './interfaces/lifecycle.js';
export type * from './interfaces/logger.js';
export type * from './interfaces/master.js';
export type * from './interfaces/storage.js';
export type { GatewayOptions } from './options.js';
