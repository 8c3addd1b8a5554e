import * as z from 'zod';
import { isXmlText } from '../../formats/xml-text.js';
import { NumberInput } from '../../model/inputs.js';
import { JsonApplication } from '../../model/logical-plan.js';
import { inUnit } from '../../model/quantity.js';
import { maxStatementLength } from '../../model/sql-application.js';

/** Clients send quantities and flags in both forms; properties travel as text. */
const PropertyValue = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]);
const Properties = z.record(z.string().max(1024), PropertyValue);

/** Engines get the properties of a launch in an XML file. */
const noXmlText = 'holds characters that no XML file can hold';

/** Body of a launch: property name to value. */
export const LaunchBody = z
  .record(
    z.string().min(1).max(1024, { abort: true }).refine(isXmlText, noXmlText),
    z
      .union(
        [z.string(), z.number().transform(String), z.boolean().transform(String)],
        'expected text, a number, true or false',
      )
      .refine(isXmlText, noXmlText),
  )
  .optional();
export const LaunchQuery = z.object({
  config: z.string().min(1).max(512).exactOptional().describe('a configuration of the package'),
  queue: z.string().min(1).max(128).exactOptional(),
  originalAppId: z
    .string()
    .min(1)
    .max(256)
    .exactOptional()
    .describe('an ended application whose state it goes on from'),
  configPackage: z
    .string()
    .max(1024, { abort: true })
    .regex(/^[^/]+\/[^/]+$/, 'expected {user}/{name}')
    .exactOptional()
    .describe('{user}/{name} of a configuration package'),
});
export type LaunchQuery = z.output<typeof LaunchQuery>;

/** As of a launch. */
export const PlanQuery = LaunchQuery.pick({ config: true });
export type PlanQuery = z.output<typeof PlanQuery>;

export const RestartQuery = z.object({ queue: z.string().max(128).exactOptional() });
export type RestartQuery = z.output<typeof RestartQuery>;
export const RestartBody = Properties.optional();

/** Of the application that was made. */
export const LaunchReply = z.object({ appId: z.string() });

export const SampleBody = z
  .object({
    query: z
      .string()
      .min(1)
      .max(maxStatementLength)
      .describe('one statement that only reads, over the tables that the application defines'),
    rows: NumberInput.pipe(z.number().int().min(1).max(1000))
      .default(100)
      .describe('at most so many')
      .meta(inUnit('rows')),
    properties: Properties.default({}).describe('as for a launch'),
  })
  .meta({ id: 'SampleRequest' });
export type SampleBody = z.output<typeof SampleBody>;

/** What a host gives to `gateway.launch`. */
export const HostLaunch = z.object({
  user: z.string().min(1).max(128),
  name: z.string().min(1).max(128),
  queue: z.string().exactOptional(),
  application: JsonApplication,
  properties: Properties.exactOptional(),
  isSystemApp: z.boolean().exactOptional(),
});
/** A launch by the host's own code, which is trusted: nobody's permissions are asked. */
export interface HostLaunch {
  /** Owner of the application. */
  readonly user: string;
  readonly name: string;
  readonly queue?: string;
  readonly application: z.input<typeof JsonApplication>;
  /** Property name to value. */
  readonly properties?: Readonly<Record<string, string | number | boolean>>;
  /** Belongs to the platform: hidden from others than the owner without VIEW_SYSTEM_APPS. Default: false. */
  readonly isSystemApp?: boolean;
}
