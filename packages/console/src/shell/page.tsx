import { useLayoutEffect } from 'react';
import { settings } from '../gateway/settings.js';
import { type Titled, TitleLine } from './title-line.js';

/** One screen: its title, what matters most beside it, its actions on the right. */
export function Page(props: Titled) {
  const { title } = props;
  // Before the effects of what is inside: a part of the page may have a title of its own.
  useLayoutEffect(() => {
    document.title = `${title} · ${settings.title}`;
  }, [title]);
  return <TitleLine order={1} {...props} />;
}
