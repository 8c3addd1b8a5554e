import { useEffect } from 'react';
import { settings } from '../gateway/settings.js';
import { type Titled, TitleLine } from './title-line.js';

/** A screen inside another page: a title of its own below that of the page, and in the title of the window as long as it is shown. */
export function Part(props: Titled) {
  const { title } = props;
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · ${settings.title}`;
    return () => {
      document.title = before;
    };
  }, [title]);
  return <TitleLine order={2} {...props} />;
}
