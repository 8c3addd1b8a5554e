import type { ReactNode } from 'react';
import { type StateKind, signs } from './states.js';

/** A sentence with the sign and the colour of a state. */
export const Remark = ({ kind, children }: { readonly kind: StateKind; readonly children: ReactNode }) => (
  <span data-state={kind}>
    <span aria-hidden>{signs[kind]}</span> {children}
  </span>
);
