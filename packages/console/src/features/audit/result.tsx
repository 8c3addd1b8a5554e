import { State } from '../../shell/state.js';
import type { StateKind } from '../../shell/states.js';
import type { Result as ResultWord } from './audit-search.js';

const kinds: Readonly<Record<ResultWord, StateKind>> = {
  done: 'running',
  refused: 'warning',
  failed: 'failed',
  unknown: 'unknown',
};

export const Result = ({ result }: { readonly result: ResultWord }) => (
  <State state={result} kind={kinds[result]} />
);
