export default {
  serverExternalPackages: ['headgate', '@headgate/engine'],
};
