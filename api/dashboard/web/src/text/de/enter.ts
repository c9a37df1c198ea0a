// The German texts of signing in.
import type { words as en } from '../en/enter.ts'

export const words: typeof en = {
  enter: {
    title: 'Anmelden',
    help: 'Noch kein Zugang, oder das Passwort verloren? Einen Link gibt es von Inhabern des Kontos oder vom Betreiber dieser Installation.',
    email: 'E-Mail',
    password: 'Passwort',
    show: 'Zeigen',
    showPassword: 'Passwort zeigen',
    code: 'Code aus der App',
    codeHint: 'sechs Ziffern, oder ein Wiederherstellungscode',
    again: 'Die Sitzung ist beendet. Nach dem Anmelden geht es an derselben Stelle weiter.',
    welcome: 'Willkommen',
    invited: (account, role, currency) =>
      `Das ist eine Einladung zum Konto „${account}“, in der Rolle ${role}. Die Zahlen dort sind in ${currency}; Inhaber können das ändern.`,
    yourName: 'Name (optional)',
    choose: 'Passwort wählen',
    atLeast: 'mindestens 10 Zeichen',
    join: 'Beitreten',
    reset: 'Neues Passwort',
    resetGo: 'Speichern und anmelden',
    whoAreYou: 'Neu oder bekannt',
    isNew: 'Ich bin neu hier',
    isKnown: 'Ich habe schon ein Passwort',
    enterGo: account => `${account} öffnen`,
    entry: email => `Dieser Link meldet ${email} an, ein einziges Mal.`,
    entryChoose: 'Bitte ein Passwort für später wählen. Wer anderen Personen Zugang gibt, muss es eingeben.',
    confirm: 'Identität bestätigen',
    confirmText:
      'Das gibt anderen Personen Zugang oder lässt sich nicht rückgängig machen. Deshalb wird noch einmal nach dem Passwort gefragt.',
    confirmGo: 'Bestätigen',
    noLink: 'Dieser Link ist unvollständig.',
    toSignIn: 'Zur Anmeldung',
  },
}
