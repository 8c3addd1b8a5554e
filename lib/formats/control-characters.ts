/** The control characters (Unicode's Cc) inside a class of a pattern that stands in documents: few engines know `\p{Cc}`. */
export const controlCharacters: string = '\\x00-\\x1f\\x7f-\\x9f';
