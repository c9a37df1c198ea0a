// The German texts of costs that people set by hand.
import { counted, named } from '../words.ts'
import type { words as english } from '../en/cost.ts'

const of = counted('de')

export const words: typeof english = {
  title: 'Kosten setzen',
  titleOf: name => `Kosten setzen: ${name}`,
  campaign: 'Kampagne',
  everyCampaign: 'Alle Kampagnen der Quelle',
  source: 'Traffic-Quelle',
  everySource: 'Alle Quellen der Kampagne',
  sub: 'Nur Klicks mit',
  noSub: 'Alle Klicks',
  value: 'Wert',
  valueHint: 'Leer: die Klicks ohne Wert.',
  days: 'Tage',
  presets: named({ yesterday: 'Gestern', today: 'Heute', window: 'Zeitraum' }),
  from: 'Von',
  to: 'Bis',
  kind: 'Was es ist',
  kinds: { amount: 'Gesamt', cpc: 'Je Klick' },
  amount: 'Gesamtkosten dieser Tage',
  cpc: 'Kosten je Klick',
  currency: 'Währung',
  needsOne: 'Bitte eine Kampagne, eine Traffic-Quelle oder beides wählen.',
  preview: 'Was sich ändert',
  looking: 'Die Klicks werden gezählt',
  before: 'Vorher',
  after: 'Nachher',
  day: 'Tag',
  clicks: 'Klicks',
  all: (n, shown) => `Zusammen ${of(n, 'Klick', 'Klicks', shown)}`,
  empty: 'keine Klicks, bekommt nichts',
  alone: 'keine Klicks, der Betrag zählt für sich',
  more: (n, shown) => `und ${of(n, 'weitere Zeile', 'weitere Zeilen', shown)}`,
  synced: platform =>
    `${platform} ist verbunden: Der nächste Abgleich ersetzt diese Kosten an den Tagen, die er erneut abruft. Damit sie bleiben, die Verbindung pausieren.`,
  spread: 'Jeder Klick dieser Tage kostet gleich viel. Bots kosten nichts.',
  go: 'Kosten setzen',
  done: (n, shown) => `Die Kosten von ${of(n, 'Klick', 'Klicks', shown)} sind gesetzt`,
  job: 'Kosten von Hand',
  undone: 'Die Kosten sind wieder wie vorher',
  undo: 'Rückgängig',
  undoTitle: 'Diese Kosten zurücknehmen',
  undoText: (before, after) =>
    `Die Klicks kosten wieder, was sie vorher gekostet haben: aus ${after} wird ${before}. Spätere Klicks behalten ihre Kosten.`,
  codes: named({
    no_clicks: 'Solche Klicks gibt es nicht. Ein Betrag ohne Klicks braucht einen einzelnen Tag und eine Traffic-Quelle.',
    too_many: 'Das sind zu viele Klicks auf einmal. Bitte weniger Tage oder eine einzelne Kampagne wählen.',
    bad_range:
      'Der erste Tag darf nicht nach dem letzten liegen. Möglich sind höchstens 92 Tage, keine künftigen und nur solche, die der Tarif noch aufbewahrt.',
    overlapped: 'Die Kosten dieser Klicks wurden später noch einmal geändert. Erst diese Änderung zurücknehmen oder die Kosten neu setzen.',
    too_old: 'Die Kosten vor dieser Änderung sind nicht mehr gespeichert.',
    stale: 'Diese Änderung ist schon zurückgenommen.',
  }),
  noRate: (currency, day) =>
    `Für ${day} fehlt der Wechselkurs von ${currency}. Die Kosten in einer anderen Währung eintragen oder den Betreiber bitten, den Kurs einzuspielen.`,
  history: 'Von Hand gesetzte Kosten',
  noHistory: 'Noch keine Kosten gesetzt',
  noHistoryMore: 'Hier stehen Kosten, die von Hand oder mit einer Datei gesetzt wurden. 30 Tage lang lassen sie sich zurücknehmen.',
  when: 'Wann',
  what: 'Was',
  byWhom: who => `zurückgenommen von ${who}`,
  wasUndone: 'zurückgenommen',
  tooLate: 'nicht mehr gespeichert',
  notHere:
    'Kosten lassen sich für eine Kampagne, eine Traffic-Quelle, einen Tag und einen Sub-Parameter setzen, aber nicht für diese Zeile.',
  tabs: { hand: 'Von Hand', csv: 'CSV-Datei' },
  how: 'Wie die Kosten gesetzt werden',
}
