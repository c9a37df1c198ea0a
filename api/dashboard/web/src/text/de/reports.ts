import { counted } from '../words.ts'
import type { words as en } from '../en/reports.ts'

const of = counted('de')

export const words: typeof en = {
  add: n => `Hinzufügen (${n} von 5)`,
  addDimension: 'Dimension hinzufügen',
  tree: 'Baum',
  flat: 'Flach',
  shape: 'Form der Tabelle',
  exportIt: 'Exportieren',
  total: (n, shown) => `Summe aus ${of(n, 'Zeile', 'Zeilen', shown)}`,
  totalMore: 'Summe aus allen',
  replace: what => `${what} ersetzen`,
  earlier: what => `${what} eine Ebene höher`,
  onlyThis: 'Nur dies (F)',
  exclude: 'Ausschließen (X)',
  overTime: 'Im Verlauf (T)',
  setCost: 'Kosten setzen ($)',
  itsClicks: 'Klicks (L)',
  open: 'Aufklappen',
  close: 'Zuklappen',
  most: n => `Zu sehen sind die ${n} größten; der Export hat alle.`,
  grouped: (g, f) => `${of(g, 'Gruppierung', 'Gruppierungen')}, ${f ? of(f, 'Filter', 'Filter') : 'kein Filter'}`,
  rows: (n, shown) => of(n, 'Zeile', 'Zeilen', shown),
  opens: 'aufklappen',
  closes: 'zuklappen',
  onlyKey: 'nur dies',
  exceptKey: 'ausschließen',
  allKeys: 'alle Tasten',
  chance: 'Graue Veränderungen kann der Zufall erklären',
  overlap: 'Eine Kampagne zählt bei jedem ihrer Tags mit, in der Summe einmal',
  overlapKept: 'Eine Kampagne zählt bei jedem ihrer Tags mit, auch in der Summe',
  overTimeOf: name => `${name} im Verlauf`,
  actionsOf: name => `Aktionen für ${name}`,
  // rows of reports by what only conversions have
  onlySales: 'Hier zählen nur Conversions. Klicks und Kosten haben weder Ziel noch Status, also ist Profit hier der Umsatz ohne Kosten',
  apart: 'Klicks und ihre Kosten stehen in der Zeile „Ohne Conversion“',
  itsConversions: 'Conversions (L)',
}
