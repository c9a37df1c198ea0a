// The English texts of signing in.

export const words = {
  enter: {
    title: 'Sign in',
    help: 'No access yet, or no password any more? An owner of your account or the operator of this install can send you a link.',
    email: 'E-mail',
    password: 'Password',
    code: 'Code of your app',
    codeHint: 'six digits, or a recovery code',
    again: 'Your session has ended. Sign in to go on where you were.',
    welcome: 'Welcome',
    invited: (account: string, role: string, currency: string) =>
      `You are invited to the account “${account}” as ${role.toLowerCase()}. Its figures are in ${currency}.`,
    yourName: 'Your name (optional)',
    choose: 'Choose a password',
    atLeast: 'at least 10 characters',
    join: 'Join',
    reset: 'New password',
    resetGo: 'Save and sign in',
    whoAreYou: 'Who you are',
    isNew: 'I am new here',
    isKnown: 'I already have a password',
    enterGo: (account: string) => `Open ${account}`,
    entry: (email: string) => `This link signs you in as ${email}, once.`,
    entryChoose: 'Choose a password for later: settings that give access to others ask for it.',
    confirm: 'Confirm that it is you',
    confirmText: 'This gives access to others or cannot be undone, so your password is asked again.',
    confirmGo: 'Confirm',
    noLink: 'This link is incomplete.',
    toSignIn: 'To the sign-in',
  },
}
