import type { words as en } from '../en/bulk.ts'
import { counted } from '../words.ts'

const of = counted('de')

export const words: typeof en = {
  edit: {
    campaigns: n => `${of(n, 'Kampagne', 'Kampagnen')} bearbeiten`,
    offers: n => `${of(n, 'Offer', 'Offers')} bearbeiten`,
    landers: n => `${of(n, 'Landingpage', 'Landingpages')} bearbeiten`,
  },
  text: 'Nur ausgefüllte Felder werden geändert, und zwar bei allen Einträgen oder bei keinem.',
  unchanged: 'Unverändert',
  noGroup: 'Keine Gruppe',
  addTags: 'Tags hinzufügen',
  removeTags: 'Tags entfernen',
  domainHint:
    'Die Links ziehen auf diese Domain um. Alte Links funktionieren binnen einer Sekunde nicht mehr, und eine gemeinsame Domain vergibt neue Aliasse.',
  saved: {
    campaigns: n => `${of(n, 'Kampagne', 'Kampagnen')} geändert`,
    offers: n => `${of(n, 'Offer', 'Offers')} geändert`,
    landers: n => `${of(n, 'Landingpage', 'Landingpages')} geändert`,
  },
  same: 'Alle hatten diese Werte schon.',
  refused: names => `Abgelehnt bei ${names}. Nichts wurde geändert.`,
  undone: 'Die Änderung ist rückgängig gemacht',
  kept: names => `Seitdem geändert und so gelassen: ${names}`,
  replaceTitle: name => `${name} überall ersetzen`,
  with: { offers: 'Durch welches Offer?', landers: 'Durch welche Landingpage?' },
  place: 'Kampagne',
  path: 'Pfad',
  weight: 'Gewicht',
  flow: 'gespeicherter Flow',
  slot: n => `Slot ${n}`,
  all: 'Überall',
  none: 'Keine auswählen',
  unused: 'Keine Kampagne und kein gespeicherter Flow führt dorthin.',
  joins: (old, now) => `${old} → ${now}`,
  joinsText: 'Manche Pfade haben schon beide. Dort bleibt nur das neue Ziel, mit der Summe beider Gewichte.',
  paused: name => `${name} ist pausiert: Bis zum Fortsetzen wird dieses Ziel in Pfaden übergangen.`,
  slots: (n, have) =>
    `Die neue Seite hat ${of(n, 'Klick-Slot', 'Klick-Slots')}, die alte ${have}. Die Offers der übrigen Slots bekommen keine Besucher.`,
  more: n => `Nur die ersten ${n} Stellen werden gezeigt. Bitte einige davon auswählen.`,
  go: n => `An ${of(n, 'Stelle', 'Stellen')} ersetzen`,
  replaced: (n, old, now) => `${now} steht in ${of(n, 'Pfad', 'Pfaden')} an der Stelle von ${old}`,
}
