/**
 * A name that somebody else has chosen: of any length and script, and never markup. Cut in its middle where there is no room, since
 * names differ at both ends; whole as its title.
 */
export function Name({ children, tail = 8 }: { readonly children: string; readonly tail?: number }) {
  const characters = [...children];
  if (characters.length <= tail * 2)
    return (
      <bdi dir="auto" title={children}>
        {children}
      </bdi>
    );
  const at = characters.length - tail;
  return (
    <bdi dir="auto" className="name-cut" title={children}>
      <span>{characters.slice(0, at).join('')}</span>
      <span>{characters.slice(at).join('')}</span>
    </bdi>
  );
}
