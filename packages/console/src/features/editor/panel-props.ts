import type { Definition } from './definition.js';
import type { Classes } from './use-classes.js';

export interface PanelProps {
  readonly definition: Definition;
  readonly classes: Classes;
  /** Of the package, which a launch takes. */
  readonly packageProperties: unknown;
  /** Absent: it can be read only. */
  readonly change: ((change: (definition: Definition) => Definition) => void) | undefined;
  readonly select: (selection: string | undefined) => void;
}
