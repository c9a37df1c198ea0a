// The German texts for edits that were made at once, by two people or in two tabs.
import type { words as en } from '../en/merge.ts'

export const words: typeof en = {
  title:
    'Inzwischen wurde dies anderswo geändert: von jemand anderem oder in einem anderen Tab. Die eigenen Werte sind noch nicht gespeichert. Erneutes Speichern behält sie, „Übernehmen“ nimmt die anderen.',
  theirs: (field, value) => `${field}, dort: ${value}`,
  empty: 'leer',
  take: 'Übernehmen',
}
