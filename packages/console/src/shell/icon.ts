// The page names its icon from where it was asked for. Browsers fetch it late, and a redirect to the login has moved the page by then.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
  link.setAttribute('href', link.href);
