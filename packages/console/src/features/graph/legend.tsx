import classes from './graph.module.css';
import type { Scale } from './graph-search.js';
import { legendOf } from './scale.js';
import { words } from './words.js';

export function Legend({ scale }: { readonly scale: Scale }) {
  return (
    <ul className={classes['legend']} aria-label={words.legend}>
      <li>{words.scales[scale]}</li>
      {legendOf(scale).map(({ color, sign, text }) => (
        <li key={text} data-color={color}>
          <span className={classes['swatch']} aria-hidden />
          <span aria-hidden>{sign}</span> {text}
        </li>
      ))}
    </ul>
  );
}
