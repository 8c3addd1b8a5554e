import { kindOf, type StateKind, signs } from './states.js';

/** Sign, colour and word: a state never shows by colour alone. */
export function State({
  state,
  kind = kindOf(state),
}: {
  readonly state: string;
  readonly kind?: StateKind;
}) {
  return (
    <span data-state={kind}>
      <span className="sign" aria-hidden>
        {signs[kind]}
      </span>{' '}
      {state.toLowerCase().replaceAll('_', ' ')}
    </span>
  );
}
