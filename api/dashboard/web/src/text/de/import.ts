import type { words as en } from '../en/import.ts'

import { counted } from '../words.ts'

const some = counted('de')
const of = (n: number, kind: 'offers' | 'links') => (kind === 'offers' ? some(n, 'Offer', 'Offers') : some(n, 'Smartlink', 'Smartlinks'))

export const words: typeof en = {
  title: 'Zeile',
  kind: 'Was importiert wird',
  kinds: { offers: 'Offers', links: 'Smartlinks' },
  texts: {
    offers: 'Legt pro Zeile ein Offer an. Ein Offer mit demselben Namen bleibt, wie es ist.',
    links: 'Legt pro Zeile einen Smartlink an. Ein vorhandener mit derselben Domain und demselben Kürzel bleibt, wie er ist.',
  },
  mapOf: cell => `Was die Spalte ${cell} enthält`,
  tooMany: shown => `Die Datei hat ${shown} Zeilen; höchstens 1.000 werden auf einmal importiert.`,
  fields: {
    name: 'Name',
    url: 'URL',
    network: 'Netzwerk',
    payout: 'Payout',
    payout_type: 'Art des Payouts',
    currency: 'Währung',
    country: 'Land',
    daily_cap: 'Tageslimit',
    group: 'Gruppe',
    tags: 'Tags',
    notes: 'Notizen',
    slug: 'Kürzel',
    destination_url: 'Ziel-URL',
    domain: 'Domain',
    source: 'Quelle',
  },
  apply: n => `${some(n, 'Zeile', 'Zeilen')} importieren`,
  stop: 'Anhalten',
  stopped: 'Der Import wurde vor dieser Zeile angehalten.',
  stale: 'Die Datei hat sich seit dem Probelauf geändert. Ein neuer Probelauf ist nötig.',
  room: (n, kind) => `Der Tarif hat noch Platz für ${of(n, kind)}; der Rest wird ausgelassen.`,
  running: 'Zeilen werden importiert',
  askTitle: 'Zeilen importieren',
  askText: (n, kind) =>
    `${of(n, kind)} ${n === 1 ? 'wird' : 'werden'} angelegt. Vorhandene und abgelehnte Zeilen werden ausgelassen. Werden dieselben Zeilen noch einmal importiert, wird nichts doppelt angelegt.`,
  go: 'Importieren',
  done: n => `${some(n, 'Zeile ist', 'Zeilen sind')} importiert`,
  point: 'Dezimalstellen',
  pointHint: 'Für Beträge wie 1.234, die in einer Datei 1234 meinen und in einer anderen etwas mehr als 1.',
  points: { ask: 'Fragen, wo es nicht klar ist', dot: '1,234.50', comma: '1.234,50' },
  readOnly: 'Diese Rolle darf nicht importieren.',
  target: 'Ziel',
  result: 'Ergebnis',
  reason: 'Grund',
  results: { new: 'Neu', exists: 'Vorhanden', refused: 'Abgelehnt', made: 'Angelegt', left: 'Ausgelassen' },
  isApplied: 'Importiert',
  download: 'Ergebnis als CSV',
  why: (code, o): string =>
    code === 'required'
      ? `Es fehlt: ${words.fields[o.field ?? ''] ?? o.field}.`
      : code === 'invalid_url'
        ? `„${o.value}“ ist keine URL, die mit http:// oder https:// beginnt.`
        : code === 'ambiguous'
          ? `„${o.value}“ hat zwei Bedeutungen: oben wählen, welches Zeichen vor den Nachkommastellen steht.`
          : code === 'invalid_number'
            ? `„${o.value}“ ist keine Zahl für: ${words.fields[o.field ?? ''] ?? o.field}.`
            : code === 'invalid_country'
              ? `„${o.value}“ ist kein Land aus zwei Buchstaben wie DE.`
              : code === 'invalid_slug'
                ? `„${o.value}“ enthält mehr als Buchstaben, Ziffern, _ und -, oder über 64 davon.`
                : code === 'invalid_domain' && !o.value
                  ? 'Ein Smartlink braucht eine eigene Domain: bitte zuerst unter Domains eine hinzufügen.'
                  : code === 'repeated'
                    ? `Dieselbe wie Zeile ${o.value}.`
                    : `${words.fields[o.field ?? ''] ?? 'Domain'} „${o.value}“ gibt es nicht.`,
  codes: { plan_limit: 'Mehr davon erlaubt der Tarif nicht.' },
}
