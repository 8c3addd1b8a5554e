export const words = {
  search: 'Search',
  hint: 'Pages, applications, packages',
  nothing: 'Nothing found',
  pages: 'Pages',
  applications: 'Applications',
  packages: 'Packages',
  shortcut: 'Ctrl K',
};
