import type { AppRef, Kept } from './kept.js';
import type { Editor } from './use-editor.js';

/** What is edited, whatever it is made of. */
export interface WorkbenchProps {
  readonly app: AppRef;
  readonly kept: Kept;
  readonly editor: Editor;
  readonly isReadOnly: boolean;
  /** As it stands in the address: `operator:NAME`, `stream:NAME`, `statement:PLACE`. */
  readonly selection: string | undefined;
  readonly select: (selection: string | undefined) => void;
}
