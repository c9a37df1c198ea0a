import type { words as en } from '../en/ab.ts'
import { counted, named } from '../words.ts'

const of = counted('de')

export const words: typeof en = {
  title: 'Was ist besser',
  compare: 'Vergleichen',
  choose: 'Verglichen wird innerhalb einer Kampagne. Hier lässt sich wählen, in welcher.',
  kinds: named({ stream: 'Pfade', lander: 'Landingpages', offer: 'Offers' }),
  slot: n => `Slot ${n}`,
  earns: named({ earnings: 'Ertrag je Klick', conversions: 'Conversion-Rate' }),
  best: 'Am besten',
  behind: 'Hinter dem Besten',
  missing: 'Noch nötig',
  weight: 'Gewicht',
  interval: (low, high) => `${low} bis ${high}`,
  decided: (name, chance) => `„${name}“ ist mit einer Wahrscheinlichkeit von ${chance} besser.`,
  open: (name, chance) => `„${name}“ ist wohl besser (Wahrscheinlichkeit: ${chance}), aber das kann noch Zufall sein.`,
  alike: 'Bisher bringen sie ungefähr gleich viel.',
  early: 'Für ein Urteil ist es zu früh.',
  many: 'Mehr als 20 lassen sich nicht auf einmal vergleichen.',
  more: (n, shown) => `Nötig sind noch etwa ${of(n, 'Klick', 'Klicks', shown)}.`,
  moreDays: (n, shown) => `Nötig sind Klicks von mindestens ${of(n, 'weiteren Tag', 'weiteren Tagen', shown)}.`,
  unknown: 'Noch keine Conversions, daher ist offen, wie viele Klicks es braucht.',
  loses: 'sicher',
  each: shown => `je ${shown} Klicks`,
  minimum: 'Geschätzt wird erst ab 20 Conversions, 3 Tagen und je 100 Klicks.',
  note: named({
    earnings:
      'Verglichen wird der Payout je Klick, bestätigt und offen. Ein Klick kostet bei allen gleich viel, weil nur die Gewichte entscheiden, wohin er geht.',
    conversions: 'Verglichen werden Conversions je Klick: Payouts sind nicht bekannt, über Geld sagt das also nichts.',
  }),
  assumed: 'Es gibt zu wenige Payouts, um ihre Streuung zu schätzen. Für die Intervalle gilt die Annahme, dass sie stark schwanken.',
  apply: 'Gewichte übernehmen',
  applyTitle: 'Diese Gewichte übernehmen?',
  applyText:
    'Jede Variante bekommt Besucher nach der Wahrscheinlichkeit, dass sie die beste ist. 10 % der Besucher bleiben gleichmäßig verteilt, damit keine leer ausgeht.',
  openText: 'Der Vorsprung kann noch Zufall sein. Die Änderung lässt sich rückgängig machen.',
  before: 'Jetzt',
  after: 'Danach',
  done: 'Die Gewichte gelten',
  undone: 'Die Gewichte sind wie vorher',
  stale: 'Der Flow hat sich geändert, seit diese Zahlen gelesen wurden. Bitte noch einmal ansehen.',
  nothing: 'Nichts zu vergleichen: Hier werden keine Besucher nach Gewicht verteilt.',
  leftOut: shown => `Nicht verglichen: ${shown}`,
  reasons: named({
    paused: 'pausiert',
    no_weight: 'hat kein Gewicht',
    capped: 'hat ein Limit: Ist es erreicht, gehen die Besucher zu den anderen',
    alone: 'nichts anderes bekommt dieselben Besucher',
    address: 'eine URL hat keine eigenen Zahlen',
    twice: 'steht in mehreren Slots des Pfads',
    not_drawn: 'wird nicht nach Gewicht gewählt',
  }),
}
