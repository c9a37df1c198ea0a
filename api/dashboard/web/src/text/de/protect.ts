// The German texts of the code that a protected landing page needs.
import type { words as en } from '../en/protect.ts'

export const words: typeof en = {
  title: 'Code für die Seite',
  which: 'Sprache des Codes',
  snippet: 'Code, der fragt, wer die Seite sehen darf',
  text: {
    js: 'In die Seite, als Skript ganz oben. Wer nicht über einen Tracking-Link kam, wird weitergeschickt.',
    php: 'Ganz an den Anfang der Seite, bevor etwas ausgegeben wird.',
  },
}
