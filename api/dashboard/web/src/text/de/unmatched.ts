// The German texts of postbacks without a click.
import type { words as en } from '../en/unmatched.ts'
import { counted } from '../words.ts'

const of = counted('de')

export const words: typeof en = {
  every: 'Alle Netzwerke',
  everyOf: 'allen Netzwerken',
  cause: 'Warum er keinen Klick fand',
  request: 'Was ankam',
  empty: 'Jeder Postback fand seinen Klick.',
  emptyMore: 'Postbacks ohne Klick warten hier.',
  sampled: 'Je Netzwerk werden pro Stunde nur 20 Postbacks aufgehoben, die keinen Klick nennen: Es kann mehr davon gegeben haben.',
  replayKey: 'prüfen und neu einlesen',
  check: 'Prüfen und neu einlesen',
  next: 'nächster oder voriger Postback',
  causes: {
    macro: (param, value) => `Das Netzwerk hat ${param} nicht ausgefüllt: dort steht noch ${value}.`,
    wrong: param => `${param} enthält keine unserer Klick-IDs.`,
    hidden: params => `Kein Parameter wird als Klick-ID gelesen. Vielleicht steckt sie in ${params}.`,
    ready: param => `Als der Postback ankam, wurde ${param} nicht als Klick-ID gelesen. Jetzt schon.`,
    empty: 'Der Postback enthält keine Klick-ID.',
    gone: 'Der Klick ist nicht hier: Er ist älter als der Klickverlauf, wurde gelöscht oder gehört zu einem anderen Konto.',
  },
  todo: {
    macro: 'Im Netzwerk gehört dessen eigenes Makro für die Klick-ID in den Postback.',
    wrong: 'Offers des Netzwerks müssen {clickid} mitschicken, und sein Postback muss denselben Wert zurückbringen.',
    ready: 'Neu einlesen.',
    hidden: 'Unten angeben, welcher Parameter die Klick-ID enthält, dann neu einlesen.',
    empty: 'Die Postback-URL des Netzwerks hier kopieren und dort neu einfügen.',
    gone: 'Hier ist nichts zu berichtigen. Neu einlesen hilft, wenn der Klick inzwischen angekommen ist.',
  },
  sheet: 'Postback ohne Klick',
  likely: 'Wahrscheinliche Ursache',
  settings: name => `Wie ${name} gelesen wird`,
  settingsText: 'Welcher Parameter welchen Wert enthält. Leer: einer der üblichen Namen.',
  usual: names => `Üblich: ${names}`,
  saveAndCheck: 'Speichern und prüfen',
  saved: name => `${name} wird ab jetzt so gelesen`,
  noNetwork: 'Die URL nennt kein Netzwerk, also gibt es nichts einzustellen.',
  would: { matched: 'Er fände seinen Klick.', unmatched: 'Er fände noch immer keinen Klick.', refused: 'Er würde abgelehnt.' },
  dryText: (network, window) => `Was aus den Postbacks von ${network} würde, ${window}. Noch ist nichts geändert.`,
  dryMany: n => `Die neuesten ${n} wurden gelesen; das Einlesen nimmt alle.`,
  results: { matched: 'Fände den Klick', unmatched: 'Bliebe ohne Klick', refused: 'Abgelehnt' },
  replayAll: n => (n === 1 ? 'Neu einlesen' : 'Alle neu einlesen'),
  nothing: 'Hier ist nichts ohne Klick.',
  replayed: (n, shown) =>
    `${of(n, 'Postback wird', 'Postbacks werden', shown)} neu eingelesen. Die Ergebnisse zeigen sich in wenigen Sekunden.`,
}
