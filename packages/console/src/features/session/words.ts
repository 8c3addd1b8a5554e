export const words = {
  logIn: 'Log in',
  userName: 'User name',
  password: 'Password',
  wrong: 'User name or password is wrong',
  goToLogin: 'Go to the login',
};
