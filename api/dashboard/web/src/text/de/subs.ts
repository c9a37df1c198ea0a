// The German texts of the sub-parameters of a traffic source.
import type { words as english } from '../en/subs.ts'

export const words: typeof english = {
  slot: 'Sub-Parameter',
  slotOf: param => `Sub-Parameter von ${param}`,
  sub: n => `Sub ${n}`,
  none: 'keiner',
  free: 'frei',
  name: 'Name',
  lately: values => `Zuletzt: ${values}`,
  removed: 'nicht mehr im Link',
  stays: n => `Sub ${n} bleibt leer. In Berichten behält er seinen Namen.`,
  namedBy: list => `Noch verwendet in: ${list}`,
  more: n => `${n} weitere`,
  putBack: 'Zurückholen',
  release: 'Freigeben',
  releaseTitle: n => `Sub ${n} freigeben?`,
  releaseText: (n, param) =>
    `Dann kann ein anderer Parameter Sub ${n} übernehmen. Bisherige Klicks behalten dort ${param}; Berichte über Sub ${n} mischen dann beide.`,
  moveTitle: (param, n) => `${param} auf Sub ${n} verschieben?`,
  moveText: (param, from, to) =>
    `Neue Klicks haben ${param} in Sub ${to}, bisherige in Sub ${from}. Berichte über Sub ${from} oder ${to} können zwei Parameter mischen.`,
  moveSwap: (other, to) => `${other} kommt auf Sub ${to}.`,
  move: 'Verschieben',
  uses: 'Diese bedeuten danach etwas anderes:',
  noUses: 'Keine Bedingung, Regel, Sperre oder URL verwendet ihn.',
  kinds: {
    campaign: 'Kampagne',
    rule: 'Gespeicherte Regel',
    copilot_rule: 'Copilot-Regel',
    bot_entry: 'Bot-Liste',
    block_list: 'Gesperrte Werte',
    offer: 'Offer',
    lander: 'Landingpage',
  },
}
