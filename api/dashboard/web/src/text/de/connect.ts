// The German texts of the page that connects an assistant, and of the list of connected assistants.
import type { words as en } from '../en/connect.ts'
import { named } from '../words.ts'

export const words: typeof en = {
  title: 'Assistenten verbinden',
  asks: name => `${name} möchte ein Konto benutzen.`,
  program: 'Programm',
  ownClaim: 'Diesen Namen hat sich das Programm selbst gegeben.',
  from: 'Von',
  account: 'Konto',
  next: 'Wohin der Browser danach geht',
  rights: 'Was es darf',
  names: named({ read: 'Lesen', propose: 'Lesen und vorschlagen', change: 'Ändern' }),
  hints: named({
    read: 'Es sieht Berichte, Klicks und Kampagnen. Es ändert nichts.',
    propose: 'Es schreibt auch Vorschläge. Nichts geschieht, bis ein Mensch einen anwendet.',
    change: 'Es pausiert, ändert und kopiert auch Einträge und trägt Kosten und Conversions ein, in den Grenzen der Einstellungen.',
  }),
  roleLimit: 'Mehr erlaubt die eigene Rolle in diesem Konto nicht.',
  allow: 'Erlauben',
  refuse: 'Ablehnen',
  leaving: host => `Der Browser geht weiter zu ${host}. Geschieht nichts, kann diese Seite geschlossen werden.`,
  failed: 'Dieser Assistent lässt sich nicht verbinden',
  back: 'Zum Überblick',
  codes: named({
    invalid_client: 'Das anfragende Programm ist hier nicht bekannt. Bitte im Programm neu beginnen.',
    invalid_redirect: 'Das Programm will zu einer Adresse weiterleiten, die nicht seine eigene ist. Nicht verbinden.',
    mcp_off:
      'Assistenten sind abgeschaltet: für dieses Konto durch einen Inhaber in den Einstellungen oder für den ganzen Dienst durch den Betreiber.',
  }),
  incomplete: 'Die Anfrage des Programms ist unvollständig. Bitte im Programm neu beginnen.',
  assistants: 'Verbundene Assistenten',
  assistant: 'Assistent',
  person: 'Verbunden von',
  used: 'Zuletzt benutzt',
  never: 'nie',
  since: 'Seit',
  empty: 'Kein Assistent ist verbunden.',
  emptyMore: 'In Claude.ai oder ChatGPT einen Connector mit dieser URL anlegen und ihn auf der Seite erlauben, die sich öffnet.',
  off: 'Assistenten sind abgeschaltet.',
  offMore:
    'Für das Konto schaltet ein Inhaber sie in den Einstellungen ein, für den ganzen Dienst der Betreiber. Bis dahin werden alle abgelehnt.',
  address: 'URL für Assistenten',
  revoke: 'Widerrufen',
  revokeOf: name => `${name} widerrufen`,
  revokeTitle: name => `${name} widerrufen?`,
  revokeText: 'Aufrufe werden sofort abgelehnt. Um den Assistenten wieder zu nutzen, muss er neu verbunden werden.',
  revoked: name => `${name} ist nicht mehr verbunden`,
}
