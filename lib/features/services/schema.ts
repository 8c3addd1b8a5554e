import * as z from 'zod';
import { Flag } from '../../model/inputs.js';
import { quantity } from '../../model/quantity.js';

/** `docs/decisions.md`, Names of services: unique across the installation, and safe as the name of a file. */
const ServiceName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
    'up to 128 letters, digits, `_`, `.` and `-`, the first a letter or digit',
  )
  .meta({ examples: ['search'] });

/** `docs/decisions.md`, States of a service. */
export const ServiceState = z.enum([
  'INSTALLING',
  'STOPPED',
  'STARTING',
  'RUNNING',
  'STOPPING',
  'REMOVING',
  'FAILED',
]);
export type ServiceState = z.output<typeof ServiceState>;

export const ServiceType = z.enum(['container', 'engine']);
export type ServiceType = z.output<typeof ServiceType>;

const Line = z.string().max(8192, { abort: true });
const Pattern = z.string().max(200);

const ReplaceString = z.object({
  matchMime: z
    .string()
    .max(256)
    .exactOptional()
    .describe('media type of the bodies it is for; default: text of any kind'),
  matchUrl: Pattern.exactOptional().describe('regular expression that the path has to fit'),
  matchText: Pattern.min(1).describe('regular expression of what is replaced'),
  replaceText: z.string().max(8192).default('').describe('`$1` stands for the first group'),
});
export type ReplaceString = z.output<typeof ReplaceString>;

/** They say where a body ends and what becomes of the connection: wrong ones put one caller's request into another's. */
const ofTheConnection =
  /^(connection|content-length|expect|http2-settings|keep-alive|proxy-(authenticate|authentication-info|authorization|connection)|sec-websocket-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Names and values that can be sent as a header of a request. */
const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/, 'is no name of a header')
  .refine((name) => !ofTheConnection.test(name), 'is said by the gateway itself, for each connection');
const HeaderValue = Line.regex(/^[\t\x20-\x7e]*$/, 'a header holds one line of ASCII characters');

/** How `/proxy/services/{name}/...` reaches it. Values may hold variables, but for those of `replaceStrings`. */
const ServiceProxy = z
  .object({
    name: ServiceName.exactOptional().describe('another name in the path'),
    address: z
      .union([z.int().min(1).max(65_535).transform(String), z.string().min(1).max(2048)])
      .describe('`port` or `host:port`, with `/path` where all paths begin')
      .meta({ examples: ['8080', '127.0.0.1:8080/app', '${port}'] }),
    followRedirect: Flag.default(true).describe('the gateway follows redirects itself'),
    requestHeaders: z
      .record(HeaderName, HeaderValue)
      .exactOptional()
      .describe('added to each request; `********` stays what it is'),
    replaceStrings: z.array(ReplaceString).max(100).exactOptional(),
  })
  .meta({ id: 'ServiceProxyInput' });

/** Names of variables: `${search.QueryPort}` is `QueryPort` of the service `search`. */
const MetadataName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'is no name for metadata');
const MetadataValue = z.union([Line, z.number().transform(String), z.boolean().transform(String)]);

const SrcUrl = z
  .string()
  .min(1)
  .max(2048, { abort: true })
  .regex(/^(https?:|file:|\$\{)/i, 'begins with `http:`, `https:` or `file:`')
  .meta({ examples: ['file:///opt/search.tgz'] });

const definition = {
  description: z.string().max(4096).exactOptional(),
  enabled: Flag.exactOptional().describe('the gateway keeps it running; default of a new one: true'),
  requiredServices: z
    .array(ServiceName)
    .max(100)
    .default([])
    .describe('names of services that run before this one'),
  metadata: z
    .record(MetadataName, MetadataValue)
    .default({})
    .describe('name to value, for variables of its own and of other services'),
  proxy: ServiceProxy.exactOptional(),
};

const ContainerPart = z.object({
  run: Line.trim().min(1).describe('options, image or program, and arguments'),
  exec: Line.trim().min(1).exactOptional().describe('a command that runs in it after each start'),
});
const EnginePart = z.object({
  appName: z.string().min(1).max(512).describe('which application of the package'),
  launchArgs: z
    .record(z.string().min(1).max(1024), MetadataValue)
    .default({})
    .describe('property name to value'),
});

/** What GET answers may be sent back: keys that are not in here are left alone. */
const ContainerDefinition = z.object({
  type: z.literal('container'),
  ...definition,
  srcUrl: SrcUrl.exactOptional().describe('archive of the image, or the program'),
  container: ContainerPart,
});
const EngineDefinition = z.object({
  type: z.literal('engine'),
  ...definition,
  srcUrl: SrcUrl.describe('the application package'),
  engine: EnginePart,
});
export const ServiceDefinition = z.discriminatedUnion('type', [ContainerDefinition, EngineDefinition]);
export type ServiceDefinition = z.output<typeof ServiceDefinition>;

/** What a PUT or POST of one service takes: the name stands in the path, and may be repeated. */
const repeated = { name: ServiceName.exactOptional().describe('the one in the path') };
export const ServiceInput = z
  .discriminatedUnion('type', [
    ContainerDefinition.extend(repeated).meta({ id: 'ContainerServiceInput' }),
    EngineDefinition.extend(repeated).meta({ id: 'EngineServiceInput' }),
  ])
  .meta({ id: 'ServiceInput' });
export type ServiceInput = z.output<typeof ServiceInput>;

const named = { name: ServiceName };
export const NamedService = z
  .discriminatedUnion('type', [
    ContainerDefinition.extend(named).meta({ id: 'NamedContainerService' }),
    EngineDefinition.extend(named).meta({ id: 'NamedEngineService' }),
  ])
  .meta({ id: 'NamedService' });
export type NamedService = z.output<typeof NamedService>;
export const InstallBody = z.array(NamedService).min(1).max(100);
export const InstallQuery = z.object({
  async: Flag.default(false).describe('answer when the definitions were checked'),
});

/** An application that needs the service, and has not ended. */
export const DependentApp = z.object({
  appId: z.string(),
  appName: z.string(),
  state: z.string(),
  user: z.string(),
});
export type DependentApp = z.output<typeof DependentApp>;

/** Texts show their variables, not what these stand for; secrets are `********`. */
export const Service = z
  .object({
    name: z.string(),
    state: ServiceState,
    stateDetail: z.string().optional().describe('how far it is, or why it failed'),
    observedAt: quantity('epoch ms')
      .optional()
      .describe(
        'epoch milliseconds; only while what runs it can not be asked: since then the state is a memory',
      ),
    enabled: z.boolean(),
    type: ServiceType,
    description: z.string().optional(),
    startedTime: quantity('epoch ms').describe('epoch milliseconds; 0 while it does not run'),
    installedTime: quantity('epoch ms').describe('epoch milliseconds; 0 until it is installed'),
    memoryMB: quantity('MB').describe('in use; 0 where that is not known'),
    srcUrl: z.string().optional(),
    requiredServices: z.array(z.string()),
    dependentApps: z.array(DependentApp),
    containerId: z.string().optional(),
    appId: z.string().optional(),
    proxy: z
      .object({
        name: z.string().optional(),
        address: z.string(),
        followRedirect: z.boolean(),
        requestHeaders: z.record(z.string(), z.string()).optional(),
        replaceStrings: z
          .array(
            z.object({
              matchMime: z.string().optional(),
              matchUrl: z.string().optional(),
              matchText: z.string(),
              replaceText: z.string(),
            }),
          )
          .optional(),
      })
      .optional(),
    metadata: z.record(z.string(), z.string()),
    container: z.object({ run: z.string(), exec: z.string().optional() }).optional(),
    engine: z.object({ appName: z.string(), launchArgs: z.record(z.string(), z.string()) }).optional(),
  })
  .meta({ id: 'Service' });
export type Service = z.output<typeof Service>;
/** A service in the detail of an application. */
export type AppService = Omit<Service, 'dependentApps'>;
export const ServiceList = z.object({ services: z.array(Service) });
export const ServiceParams = z.object({ name: ServiceName });
