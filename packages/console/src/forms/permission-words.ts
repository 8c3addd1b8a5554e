export const permissionWords = {
  hint: 'The owner, and administrators, may always. Whoever may change it may see it, too.',
  read: 'May see it',
  write: 'May change it',
  everyone: 'Everyone who can log in',
  roles: 'Roles',
  users: 'Users',
  save: 'Save permissions',
  reset: 'Discard changes',
  unchanged: 'Nothing is changed yet',
  notSaved: 'The permissions',
};
