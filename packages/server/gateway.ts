import { join } from 'node:path';
import { streamConsole } from '@headgate/console';
import { processRuntime } from '@headgate/containers';
import { directorySchemes } from '@headgate/directory';
import { jarReader } from '@headgate/jars';
import { filesystemStorage } from '@headgate/level';
import { type ClusterDriver, createGateway, type Gateway, type Logger } from 'headgate';
import { configuredAuth } from 'headgate/auth/configured';
import { firstOf } from 'headgate/auth/first-of';
import { apiTokens } from 'headgate/auth/tokens';
import { smtpMailer } from 'headgate/mail/smtp';
import type { Settings } from './settings.js';

/** The gateway as this server offers it: everything in the box, and all that it keeps below `data`. */
export async function openGateway(
  settings: Settings,
  {
    data,
    cluster,
    logger,
  }: { readonly data: string; readonly cluster: ClusterDriver; readonly logger: Logger },
): Promise<Gateway> {
  const { rescue, secureCookies, trustProxy, origins, importPackages, adminPassword, minPasswordLength } =
    settings;
  return createGateway({
    storage: await filesystemStorage({ directory: join(data, 'storage') }),
    cluster,
    console: streamConsole(),
    auth: firstOf(
      configuredAuth({
        rescue,
        schemes: directorySchemes(),
        ...(secureCookies ? { cookie: { secure: true } } : {}),
      }),
      apiTokens(),
    ),
    trustProxy,
    origins,
    mailer: smtpMailer(), // to the server that PUT config/smtp names
    // Services run as programs of this machine, and end with the server.
    containers: processRuntime({ directory: join(data, 'services') }),
    services: { stopOnClose: true },
    site: { directory: join(data, 'conf') }, // the platform's properties, as XML to edit
    packages: {
      jars: jarReader(),
      ...(importPackages === undefined ? {} : { importDirectory: importPackages }),
    },
    ...(minPasswordLength === undefined ? {} : { passwords: { minLength: minPasswordLength } }),
    ...(adminPassword === undefined ? {} : { initialAdmin: { password: adminPassword } }),
    logger,
  });
}
