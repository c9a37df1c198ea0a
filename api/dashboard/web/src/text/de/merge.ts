// The German texts for edits that two people made at once.
import type { words as en } from '../en/merge.ts'

export const words: typeof en = {
  title:
    'Jemand anderes hat dies inzwischen gespeichert. Die eigenen Werte sind noch nicht gespeichert. Erneutes Speichern behält sie, „Übernehmen“ nimmt die anderen.',
  theirs: (field, value) => `${field}, dort: ${value}`,
  empty: 'leer',
  take: 'Übernehmen',
}
