export const words = {
  title: 'Permissions',
  owner: 'Owner',
  readOnly: 'This application is shared with you for reading only',
  saved: 'The permissions are saved',
};
